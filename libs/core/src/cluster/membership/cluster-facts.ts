import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/** Facts of a cluster for the selectors of a fleet (design: fleet.md §1.1). */
export type ClusterFacts = Readonly<{
  arches?: readonly string[];
  nodes?: number;
  provider?: string | undefined;
  claims?: Readonly<Record<string, string>>;
}>;

/** The ConfigMap with the claims of a cluster's owner: facts in `data` that the hub cannot find out. */
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

/**
 * Returns the number of nodes, their architectures, and the provider of most of them: `aws` of
 * `aws:///eu-1/i-7`.
 */
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

/** Returns the parts of a node that {@link nodeFacts} reads. */
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
