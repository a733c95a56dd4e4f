import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';

/** Deployments of OLM Classic and of OLM v1, by name; whatever namespace they are in. */
export const OLM_DEPLOYMENTS: readonly string[] = [
  'olm-operator',
  'catalog-operator',
  'catalogd-controller-manager',
  'operator-controller-controller-manager',
];

/** Field managers of OLM: the names of its programs, and the name of its server-side applies. */
const OLM_FIELD_MANAGERS: ReadonlySet<string> = new Set([
  'olm',
  'catalog',
  'olm.registry',
  'package-server',
  'catalogd',
  'operator-controller',
]);

/**
 * Longest age of a write by a running OLM. It writes statuses at least every few minutes, even if nothing
 * happens.
 */
const RECENT_MS = 10 * 60_000;

/** Signs that OLM itself runs in a cluster. */
export type OlmSign =
  | Readonly<{ kind: 'deployment'; namespace: string; name: string }>
  | Readonly<{ kind: 'fieldManager'; manager: string; object: string; time: string }>;

/**
 * Returns signs of a running OLM: its Deployments with replicas, and objects that its programs wrote in the
 * last ten minutes. An OLM may run outside of the cluster, or under other names. Deployments come first, then
 * one sign for each program.
 */
export function signsOfOlm(
  deployments: readonly KubernetesObject[],
  objects: readonly KubernetesObject[],
  now: Date,
): OlmSign[] {
  const running = deployments
    .filter((deployment) => OLM_DEPLOYMENTS.includes(deployment.metadata.name ?? '') && replicasOf(deployment) > 0)
    .map(({ metadata: { namespace = '', name = '' } }) => ({ kind: 'deployment' as const, namespace, name }));
  const written = new Map<string, OlmSign>();
  for (const sign of objects.flatMap((object) => recentWrites(object, now))) {
    if (!written.has(sign.manager)) written.set(sign.manager, sign);
  }
  return [...running, ...written.values()].toSorted((a, b) => byCodeUnit(signText(a), signText(b)));
}

/** Returns a sign as text for users: `deployment olm/olm-operator`. */
export const signText = (sign: OlmSign): string =>
  sign.kind === 'deployment'
    ? `deployment ${sign.namespace}/${sign.name}`
    : `field manager "${sign.manager}" wrote ${sign.object} at ${sign.time}`;

/** Returns the replicas of a Deployment. An absent value means one, as the API server defaults it. */
function replicasOf(deployment: KubernetesObject): number {
  const replicas = asRecord(deployment['spec'])['replicas'];
  return typeof replicas === 'number' ? replicas : 1;
}

function recentWrites({ kind, metadata }: KubernetesObject, now: Date) {
  const object = [kind, [metadata.namespace, metadata.name].filter(Boolean).join('/')].join(' ');
  return asList(metadata['managedFields']).flatMap((entry) => {
    const { manager, time } = asRecord(entry);
    const isOlm = OLM_FIELD_MANAGERS.has(asText(manager));
    if (!isOlm || !(now.getTime() - Date.parse(asText(time)) <= RECENT_MS)) return [];
    return [{ kind: 'fieldManager' as const, manager: asText(manager), object, time: asText(time) }];
  });
}
