import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterRecorder } from './cluster-recorder.js';
import type { Recording } from './recording.js';

const ALPHA = 'operators.coreos.com/v1alpha1';
const API_VERSIONS: Readonly<Record<string, string>> = {
  Subscription: ALPHA,
  InstallPlan: ALPHA,
  ClusterServiceVersion: ALPHA,
  CatalogSource: ALPHA,
  OperatorGroup: 'operators.coreos.com/v1',
  OperatorCondition: 'operators.coreos.com/v2',
  Deployment: 'apps/v1',
  Role: 'rbac.authorization.k8s.io/v1',
  APIService: 'apiregistration.k8s.io/v1',
  Secret: 'v1',
};

/** The API of a kind as the recordings' steps name it. */
export function kindRef(kind: string): KindRef {
  const apiVersion = API_VERSIONS[kind];
  if (apiVersion === undefined) throw new Error(`the replay does not know the API of kind ${kind}`);
  return { apiVersion, kind };
}

type Around = Readonly<{ client: KubeClient; recorder: ClusterRecorder; recording: Recording }>;
type Wait = (around: Around) => Promise<boolean>;
type Fields = Readonly<Record<string, unknown>>;

const at = (object: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Fields)[key] : undefined),
    object,
  );

/** Returns objects as in the recorder's watches, or from the API for other kinds. */
async function all({ client, recorder, recording }: Around, kind: string): Promise<readonly KubernetesObject[]> {
  const objects = recorder.now(kind) ?? (await client.list(kindRef(kind)))?.items ?? [];
  return objects.filter(({ metadata }) => recording.namespaces.has(metadata.namespace ?? ''));
}

const find = async (around: Around, kind: string, key: string): Promise<KubernetesObject | undefined> =>
  (await all(around, kind)).find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key);

const some =
  (kind: string, is: (object: KubernetesObject) => boolean): Wait =>
  async (around) =>
    (await all(around, kind)).some(is);

const one =
  (kind: string, key: string, is: (object: KubernetesObject) => boolean): Wait =>
  async (around) => {
    const object = await find(around, kind, key);
    return object !== undefined && is(object);
  };

const conditionIs = (object: KubernetesObject, type: string, status: string): boolean => {
  const conditions = at(object, 'status', 'conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some((entry) => at(entry, 'type') === type && at(entry, 'status') === status)
  );
};

const isCopy = (object: KubernetesObject): boolean => object.metadata.labels?.['olm.copiedFrom'] !== undefined;
const copiedTo = (suffix: string, is: (copy: KubernetesObject) => boolean = () => true): Wait =>
  some('ClusterServiceVersion', (csv) => isCopy(csv) && (csv.metadata.namespace ?? '').endsWith(suffix) && is(csv));

const containersOf = (deployment: KubernetesObject): string =>
  JSON.stringify(at(deployment, 'spec', 'template', 'spec', 'containers'));

const catalogsReady: Wait = async (around) => {
  const sources = await all(around, 'CatalogSource');
  return (
    sources.length > 0 &&
    sources.every((source) => at(source, 'status', 'connectionState', 'lastObservedState') === 'READY')
  );
};

const none =
  (...kinds: readonly string[]): Wait =>
  async (around) =>
    (await Promise.all(kinds.map((kind) => all(around, kind)))).flat().length === 0;

/** Made by the API server for the group of a CRD. */
const isAutomatic = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.['kube-aggregator.kubernetes.io/automanaged'] !== undefined;

type Pattern = readonly [text: RegExp, wait: (...parts: string[]) => Wait];

/** The recorder's waits in its words, each with the sign of their end here. */
const PATTERNS: readonly Pattern[] = [
  [/^catalog READY$/, () => catalogsReady],
  [
    /^CSV (\S+) (Pending|Installing|Failed|Succeeded)$/,
    (key = '', phase = '') => one('ClusterServiceVersion', key, (csv) => at(csv, 'status', 'phase') === phase),
  ],
  [
    /^CSV (\S+) reason (\S+)$/,
    (key = '', reason = '') => one('ClusterServiceVersion', key, (csv) => at(csv, 'status', 'reason') === reason),
  ],
  [
    /^Subscription (\S+) AtLatestKnown$/,
    (key = '') => one('Subscription', key, (object) => at(object, 'status', 'state') === 'AtLatestKnown'),
  ],
  [
    /^Subscription (\S+) condition (\w+)=(\w+)$/,
    (key = '', type = '', status = '') => one('Subscription', key, (object) => conditionIs(object, type, status)),
  ],
  [
    /^InstallPlan in (\S+) (\w+)$/,
    (namespace = '', phase = '') =>
      some('InstallPlan', (plan) => plan.metadata.namespace === namespace && at(plan, 'status', 'phase') === phase),
  ],
  [/^second plan$/, () => async (around) => (await all(around, 'InstallPlan')).length > 1],
  [
    /^serviceAccountRef$/,
    () => some('OperatorGroup', (group) => at(group, 'status', 'serviceAccountRef') !== undefined),
  ],
  [/^CSV gone$/, () => none('ClusterServiceVersion')],
  [/^APIService gone$/, () => async (around) => (await all(around, 'APIService')).every(isAutomatic)],
  [/^certificate secret$/, () => some('Secret', ({ metadata }) => metadata.name?.endsWith('-service-cert') === true)],
  [/^CSV and deployment gone$/, () => none('ClusterServiceVersion', 'Deployment')],
  [
    /^(v\d\S*) gone$/,
    (version = '') =>
      async (around) =>
        (await all(around, 'ClusterServiceVersion')).every(({ metadata }) => !metadata.name?.endsWith(`.${version}`)),
  ],
  [/^deployment back$/, () => some('Deployment', ({ metadata }) => metadata.deletionTimestamp === undefined)],
  [
    /^hash label back$/,
    () => some('Deployment', ({ metadata }) => metadata.labels?.['olm.deployment-spec-hash'] !== undefined),
  ],
  [
    /^deployment has new env$/,
    () => some('Deployment', (deployment) => containersOf(deployment).includes('"changed"')),
  ],
  [/^OperatorCondition$/, () => some('OperatorCondition', () => true)],
  [/^status mirrored$/, () => some('OperatorCondition', (object) => conditionIs(object, 'Upgradeable', 'False'))],
  [/^copied CSV$/, () => copiedTo('')],
  [/^copied CSV Succeeded$/, () => copiedTo('', (copy) => at(copy, 'status', 'phase') === 'Succeeded')],
  [/^copy in new namespace$/, () => copiedTo('-c')],
  [/^deleted copy back$/, () => copiedTo('-a', ({ metadata }) => metadata.deletionTimestamp === undefined)],
  [/^edited copy restored$/, () => copiedTo('-b', (copy) => at(copy, 'spec', 'displayName') !== 'Edited')],
];

/** Returns the check for the end of a recorder's wait. */
export function waitFor(text: string): Wait {
  for (const [pattern, wait] of PATTERNS) {
    const found = pattern.exec(text);
    if (found !== null) return wait(...found.slice(1));
  }
  throw new Error(`the replay does not know how to wait for "${text}"`);
}
