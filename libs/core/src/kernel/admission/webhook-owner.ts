import type { KubernetesObject } from '../api/kubernetes-object.js';

/** Returns words about the owner of a webhook's configuration, or CRD, to append; empty if it names none. */
export function ownerText(object: KubernetesObject): string {
  const owner = ownerOf(object);
  return owner === undefined ? '' : `, and belongs to ${owner}`;
}

function ownerOf({ metadata }: KubernetesObject): string | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const classic = labels['olm.owner'];
  if (classic) return `${labels['olm.owner.kind'] ?? 'owner'} ${labels['olm.owner.namespace'] ?? ''}/${classic}`;
  const extension = labels['olm.operatorframework.io/owner-name'];
  if (extension) return `${labels['olm.operatorframework.io/owner-kind'] ?? 'ClusterExtension'} ${extension}`;
  const release = annotations['meta.helm.sh/release-name'];
  if (release) return `Helm release ${annotations['meta.helm.sh/release-namespace'] ?? ''}/${release}`;
  const owner = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
  return owner && `${owner.kind} ${owner.name}`;
}
