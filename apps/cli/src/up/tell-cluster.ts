import type { ClusterLook, ReachedCluster } from './look-at-cluster.js';

/** The lines about one cluster: what is watched there, what was done, and what the person should know or do. */
export function tellCluster(look: ClusterLook, width: number): string[] {
  const line = (text: string) => `  ${look.cluster.padEnd(width)}  ${text}`;
  const under = (text: string) => `  ${''.padEnd(width)}  ${text}`;
  if (!look.reached) return [line(`not reached, tried again until it is: ${oneLine(look.because)}`)];
  const { version, globalCatalogNamespace, crds } = look;
  const first = `Kubernetes ${version} · global catalogs in namespace ${globalCatalogNamespace} · ${crdText(crds)}`;
  return [line(first), ...[...crdRefusal(look), ...realOlm(look)].map(under)];
}

/** Contexts that lead to one and the same cluster: it would be worked on once for each. */
export function tellSameClusters(looks: readonly ClusterLook[]): string[] {
  const byIdentity = new Map<string, string[]>();
  for (const look of looks) {
    if (!look.reached || look.identity === undefined) continue;
    byIdentity.set(look.identity, [...(byIdentity.get(look.identity) ?? []), look.cluster]);
  }
  return [...byIdentity.values()]
    .filter((names) => names.length > 1)
    .map(
      (names) => `  WARNING: ${names.join(' and ')} are one and the same cluster; choose one of them with --context`,
    );
}

function crdText({ installed, refused }: ReachedCluster['crds']): string {
  if (refused !== undefined) return 'CRDs of OLM are missing';
  return installed.length === 0 ? 'CRDs of OLM are there' : `${installed.length} CRDs of OLM installed`;
}

function crdRefusal({ crds: { installed, refused } }: ReachedCluster): string[] {
  if (refused === undefined) return [];
  const before = installed.length === 0 ? '' : ` (after ${installed.length} that were)`;
  return [
    `WARNING: CRDs could not be installed${before}: ${oneLine(refused)}`,
    `         have somebody with the right to do so run: kubectl apply --server-side -f k8s/crds`,
  ];
}

function realOlm({ cluster, olm: { running, unknown } }: ReachedCluster): string[] {
  if (unknown !== undefined) return [`whether OLM itself runs there could not be seen: ${oneLine(unknown)}`];
  const [first] = running;
  if (first === undefined) return [];
  const { namespace } = first;
  const names = running.map((place) => `${place.namespace}/${place.name}`).join(', ');
  const deployments = running.filter((place) => place.namespace === namespace).map(({ name }) => `deployment/${name}`);
  return [
    `WARNING: OLM itself runs there (${names}) and acts on the same objects; stop one of the two:`,
    `         kubectl --context ${cluster} -n ${namespace} scale --replicas=0 ${deployments.join(' ')}`,
  ];
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, '; ');
