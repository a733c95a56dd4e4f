import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { RenderRequest } from './bundle/render-request.js';
import { renderBundle } from './render-bundle.js';
import { type bundle, request } from './sample-bundle.fixture.js';

/** The objects of a bundle that is not refused. */
export function rendered(
  what: ReturnType<typeof bundle>,
  parts: Partial<RenderRequest> = {},
): readonly KubernetesObject[] {
  const result = renderBundle(what, request(parts));
  if ('error' in result) throw new Error(result.error);
  return result.objects;
}

/** The only object of its kind. */
export const one = (objects: readonly KubernetesObject[], kind: string): KubernetesObject => {
  const [found, ...more] = objects.filter((object) => object.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`not one ${kind}`);
  return found;
};
