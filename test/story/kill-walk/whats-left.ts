import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { normalised } from '../normalised-dump.js';

/** State of a cluster after a story, without values that no two runs share. */
export type WhatsLeft = Readonly<{
  /** By `Kind namespace/name`. */
  objects: Readonly<Record<string, unknown>>;
  /** The phases that each CSV went through, as `phase reason`; how often it had to wait is left out. */
  histories: Readonly<Record<string, readonly string[]>>;
  /** Every Event but those of waiting, as `Kind name type reason: message`. */
  events: readonly string[];
}>;

/** Phases of waiting: if there is something to wait for depends on the faster side. */
const WAITING = ['RequirementsNotMet', 'InstallWaiting'];

const OLM = 'operators.coreos.com';
const RBAC = 'rbac.authorization.k8s.io/v1';
const ADMISSION = 'admissionregistration.k8s.io/v1';
const kindsOf = (apiVersion: string, ...kinds: readonly string[]) => kinds.map((kind) => ({ apiVersion, kind }));

const KINDS = [
  ...kindsOf(`${OLM}/v1alpha1`, 'CatalogSource', 'Subscription', 'InstallPlan', 'ClusterServiceVersion'),
  ...kindsOf(`${OLM}/v1`, 'OperatorGroup', 'Operator'),
  ...kindsOf(`${OLM}/v2`, 'OperatorCondition'),
  ...kindsOf('apps/v1', 'Deployment'),
  ...kindsOf('v1', 'Service', 'ServiceAccount', 'Secret', 'ConfigMap', 'Namespace'),
  ...kindsOf('networking.k8s.io/v1', 'NetworkPolicy'),
  ...kindsOf(RBAC, 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'),
  ...kindsOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
  ...kindsOf(ADMISSION, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'),
];
const CSVS = { apiVersion: `${OLM}/v1alpha1`, kind: 'ClusterServiceVersion' };

export function whatsLeft(cluster: SimulatedCluster): WhatsLeft {
  const objects = KINDS.flatMap((kind) =>
    cluster.list(kind).map(({ apiVersion: _version, kind: _kind, ...object }): [string, unknown] => {
      const { namespace = '', name } = object.metadata;
      return [`${kind.kind} ${namespace}/${name}`, normalised(object, kind.kind)];
    }),
  );
  const sorted = objects.toSorted(([a], [b]) => byCodeUnit(a, b));
  return {
    objects: withoutSecrets(Object.fromEntries(sorted)),
    histories: Object.fromEntries(cluster.list(CSVS).map((csv) => [csv.metadata.name, historyOf(csv)])),
    events: cluster
      .list({ apiVersion: 'v1', kind: 'Event' })
      .filter((event) => !WAITING.includes(String(event['reason'])))
      .map(textOfEvent)
      .toSorted(byCodeUnit),
  };
}

const historyOf = (csv: Readonly<Record<string, unknown>>): string[] => {
  const { conditions = [] } = Object(csv['status']);
  return conditions
    .filter(({ reason }: Record<string, unknown>) => !WAITING.includes(String(reason)))
    .map(({ phase, reason }: Record<string, unknown>) => `${phase} ${reason}`);
};

const textOfEvent = (event: Readonly<Record<string, unknown>>): string => {
  const { kind, name } = Object(event['involvedObject']);
  return `${kind} ${name} ${event['type']} ${event['reason']}: ${event['message']}`;
};

const RANDOM = new Set([
  'olmcahash',
  'olmCAKey',
  'tls.crt',
  'tls.key',
  'caBundle',
  'ca.crt',
  'olm.deployment-spec-hash',
]);
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIMES = new Set(['certsLastUpdated', 'certsRotateAt']);

/**
 * Keys and certificates are made anew in each run, but the same one must stand wherever it is used: each
 * becomes the number of its first appearance.
 */
function withoutSecrets(objects: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const seen: string[] = [];
  const numbered = (value: unknown): string => {
    const text = canonicalJson(value);
    if (!seen.includes(text)) seen.push(text);
    return `random value ${seen.indexOf(text)}`;
  };
  const text = JSON.stringify(objects, (key, value: unknown) => {
    if (TIMES.has(key)) return 'a time';
    return RANDOM.has(key) && typeof value === 'string' ? numbered(value) : value;
  });
  return JSON.parse(text.replaceAll(UID, 'a uid'));
}
