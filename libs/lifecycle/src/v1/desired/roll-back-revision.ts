import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { DesiredRevision } from '#core/v1/revision/build-revision';
import { CONTENT_KEY, DIGEST_KEY, INPUTS_KEY, OLM_PROPERTIES_KEY, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { annotationOf, bundleOf } from '#core/v1/revision/revision-states';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { readContent } from '../extensions/read-content.js';
import { ifAdmitted, type NextRevision } from './revision-decision.js';

/** Goes back to a revision of the cluster itself: neither catalog nor registry is needed. */
export async function rollBackRevision(pass: ExtensionPass, to: ClusterObjectSet): Promise<NextRevision> {
  const newest = pass.read.states.active.at(-1);
  const number = to.spec.revision;
  const note = `Held at the content of revision ${number} by annotation ${ROLLBACK_KEY}.`;
  const content = annotationOf(to, CONTENT_KEY);
  if (newest !== undefined && annotationOf(newest, CONTENT_KEY) === content) return { next: 'keep', note };
  const read = readContent(pass, to);
  if ('error' in read) {
    const message = `the manifests of revision ${number} cannot be read: ${read.error}`;
    return { next: 'trouble', trouble: { reason: 'Blocked', message } };
  }
  const bundle = bundleOf(to);
  const phases = read.phases.map(({ name, objects }) => ({ name, objects: objects.map(({ object }) => object) }));
  const desired: DesiredRevision = {
    from: bundle,
    phases,
    olmProperties: annotationOf(to, OLM_PROPERTIES_KEY),
    inputs: annotationOf(to, INPUTS_KEY) ?? '',
    query: `rollback to ${number}`,
    digest: annotationOf(to, DIGEST_KEY) ?? '',
  };
  return { note, ...(await ifAdmitted(pass, desired)) };
}
