import { type KubernetesObject, splitApiVersion } from '../api/kubernetes-object.js';
import { byCodeUnit } from '../canonical/canonical-json.js';
import type { RegistryBundle } from './registry-bundle.js';
import type { Rendered, RenderRefusal, RenderRequest } from './render-request.js';
import { webhookServices } from './webhook-service.js';

/**
 * The objects that a bundle brings into a cluster for a ClusterExtension, or why it cannot (spec: v1-apply.md §2 to §4).
 * Everything in it is decided here: the same bundle and request give the same objects.
 */
export function renderBundle(bundle: RegistryBundle, request: RenderRequest): Rendered | RenderRefusal {
  return { objects: [...bundle.crds].sort(byGroupAndKind), services: webhookServices(bundle, request.namespace) };
}

/** By group, kind, namespace, name: the order in which rendered objects are shown. */
function byGroupAndKind(a: KubernetesObject, b: KubernetesObject): number {
  return (
    byCodeUnit(splitApiVersion(a.apiVersion).group, splitApiVersion(b.apiVersion).group) ||
    byCodeUnit(a.kind, b.kind) ||
    byCodeUnit(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? '')
  );
}
