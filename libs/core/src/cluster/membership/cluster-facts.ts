import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/** What selectors of a fleet may ask about a cluster (design: fleet.md §1.1). */
export type ClusterFacts = Readonly<{
  arches?: readonly string[];
  nodes?: number;
  provider?: string | undefined;
  claims?: Readonly<Record<string, string>>;
}>;

/** Where a cluster's owner says what the hub cannot find out: `data` of a ConfigMap in the cluster. */
export const CLAIMS = {
  ...KIND.ConfigMap,
  name: 'cluster-claims',
  namespace: 'flotilla-system',
} as const;

const MOST_CLAIMS = 32;
const MOST_CHARACTERS = 256;

type Node = Readonly<{
  spec?: Readonly<{ providerID?: string }>;
  status?: Readonly<{ nodeInfo?: Readonly<{ architecture?: string }> }>;
}>;

/** Number of nodes, their architectures, and who provides most of them: `aws` of `aws:///eu-1/i-7`. */
export function nodeFacts(nodes: readonly KubernetesObject[]): Required<Omit<ClusterFacts, 'claims'>> {
  const all = nodes as readonly Node[];
  const arches = new Set(all.flatMap(({ status }) => status?.nodeInfo?.architecture ?? []));
  const providers = new Map<string, number>();
  for (const { spec } of all) {
    const [, name] = /^([a-z0-9-]{1,63}):\/\//.exec(spec?.providerID ?? '') ?? [];
    if (name !== undefined) providers.set(name, (providers.get(name) ?? 0) + 1);
  }
  const [most] = [...providers].sort(([a, n], [b, m]) => m - n || byCodeUnit(a, b));
  return { arches: [...arches].sort(byCodeUnit), nodes: all.length, provider: most?.[0] };
}

/** Of a node, what {@link nodeFacts} reads. */
export const observedNode = ({ apiVersion, kind, metadata, ...rest }: KubernetesObject): KubernetesObject => {
  const { spec, status } = rest as Node;
  const architecture = status?.nodeInfo?.architecture;
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    spec: { providerID: spec?.providerID },
    status: { nodeInfo: { architecture } },
  };
};

/** The first claims by name; those that are no short texts are left out. */
export function claimsIn(configMap: KubernetesObject | undefined): Readonly<Record<string, string>> {
  const { data = {} } = (configMap ?? {}) as { data?: Readonly<Record<string, unknown>> };
  const texts = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= MOST_CHARACTERS,
  );
  return Object.fromEntries(texts.sort(([a], [b]) => byCodeUnit(a, b)).slice(0, MOST_CLAIMS));
}
