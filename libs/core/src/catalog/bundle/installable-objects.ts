import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { BundleError } from './bundle.error.js';
import type { Bundle } from './bundle.js';

/**
 * Returns the objects of a bundle for an install. Throws {@link BundleError} if a field has a value that no
 * cluster takes: an install would end with a part of the objects.
 */
export function installableObjects({ objects, refusals: [refusal, ...more] }: Bundle): readonly KubernetesObject[] {
  if (refusal === undefined) return objects;
  const others = more.length === 0 ? '' : ` (and ${more.length} more objects)`;
  const line = `${refusal}${others}`;
  throw new BundleError(line, 'no object of the bundle is installed', line);
}

/**
 * Lists the manifests that an install leaves out, as OLM does: files that cannot be read, and documents
 * behind the first one of a file. The status of the Subscription has these lines.
 */
export const leftOutOfInstall = ({ warnings }: Bundle): readonly string[] =>
  warnings.filter((line) => LEFT_OUT.test(line) && !line.startsWith('metadata/'));

const LEFT_OUT = /: (?:skipped: |only the first document is used$)/;
