import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { PATIENCE_MS, pause } from '#testing/patience';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { catalogImage } from '../bad-input-fixture.js';
import { bundleImage, packageBlobs } from '../extension-fixture.js';
import type { KillEnvironment } from './kill-environment.js';
import { type WhatsLeft, whatsLeft } from './whats-left.js';
import { type KillPoint, WriteCounter } from './write-counter.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const PLACE = 'walked';
const PACKAGE = 'torch';
export const OLD = `${PACKAGE}.v1.0.0`;
const NEW = `${PACKAGE}.v2.0.0`;
export const CATALOG = 'stories/walked:latest';
const POLL_EVERY_MS = 20;

export type Played = Readonly<{
  left: WhatsLeft;
  /** Number of writes of the whole story. */
  writes: number;
  /** Writes at which the applier was killed. */
  kills: readonly string[];
}>;

const CSV = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', namespace: PLACE };
const PLAN = { apiVersion: V1ALPHA1, kind: 'InstallPlan', namespace: PLACE };
const SUBSCRIPTION = { apiVersion: V1ALPHA1, kind: 'Subscription', namespace: PLACE, name: PACKAGE };

/** Puts the two versions of the operator, and the catalog that offers them, into the registry. */
export async function putWalkedOperator(registry: InMemoryRegistry): Promise<void> {
  const versions = ['1.0.0', '2.0.0'];
  const bundles = [];
  for (const version of versions) {
    const image = `registry.example/torch:${version}`;
    const contents = { name: PACKAGE, version, image, text: version, webhook: true, rich: true };
    const reference = `stories/${PACKAGE}-bundle:${version}`;
    registry.put(reference, await bundleImage({ ...contents, installModes: ['OwnNamespace'] }));
    bundles.push({ version, image: `${registry.host}/${reference}` });
  }
  const blobs = packageBlobs(PACKAGE, bundles).map((blob) => JSON.stringify(blob));
  registry.put(CATALOG, await catalogImage({ 'torch.json': blobs.join('\n') }));
}

/**
 * Offers the operator in the environment's cluster once the applier has installed there the objects of every
 * cluster.
 */
export async function offerWalkedOperator(environment: KillEnvironment, registry: InMemoryRegistry): Promise<void> {
  const { cluster } = environment;
  const joined = () => cluster.get({ apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', name: 'cluster' });
  await until(() => joined() !== undefined, 'the cluster to be joined', environment);
  cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
  cluster.create({
    apiVersion: V1ALPHA1,
    kind: 'CatalogSource',
    metadata: { name: 'shelf', namespace: 'olm' },
    spec: { sourceType: 'grpc', image: `${registry.host}/${CATALOG}` },
  });
}

/**
 * A whole install and a whole upgrade of an operator with a CRD, rights, a Service and a webhook, each plan
 * approved by hand. The applier is killed at the points given, in their order, and another one takes over.
 * `ended`: whether this is the end; when it is not reached in time, the story ends as it is.
 */
export async function playWalked(
  environment: KillEnvironment,
  kills: readonly KillPoint[],
  ended: (left: WhatsLeft) => boolean,
): Promise<Played> {
  const { cluster } = environment;
  const counter = new WriteCounter(environment, 'applier', kills);
  try {
    subscribe(cluster);
    await until(() => approve(cluster, OLD), `a plan for ${OLD}`, environment);
    await until(() => summary(cluster) === `${OLD} Succeeded`, `${OLD} to succeed`, environment);
    await until(() => approve(cluster, NEW), `a plan for ${NEW}`, environment);
    await until(() => summary(cluster) === `${NEW} Succeeded`, `${NEW} to succeed`, environment);
    await until(() => ended(whatsLeft(cluster)), undefined, environment);
    return { left: whatsLeft(cluster), writes: counter.writes, kills: counter.killed };
  } finally {
    await counter.end();
  }
}

/** Makes the Subscription at the beginning of the story. */
export function subscribe(cluster: SimulatedCluster): void {
  cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLACE } });
  cluster.create({
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'own', namespace: PLACE },
    spec: { targetNamespaces: [PLACE] },
  });
  const { apiVersion, kind, name, namespace } = SUBSCRIPTION;
  const desired = { name: PACKAGE, channel: 'stable', source: 'shelf', sourceNamespace: 'olm', startingCSV: OLD };
  cluster.create({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { ...desired, installPlanApproval: 'Manual' },
  });
}

/** Approves the plan for that CSV. Returns true if there is one, approved now. */
function approve(cluster: SimulatedCluster, csv: string): boolean {
  const plans = cluster.list(PLAN) as readonly unknown[] as readonly InstallPlan[];
  const plan = plans.find(
    ({ spec, status }) => spec.clusterServiceVersionNames.includes(csv) && status?.phase === 'RequiresApproval',
  );
  if (plan === undefined) return false;
  cluster.edit({ ...PLAN, name: plan.metadata.name ?? '' }, (edited) => {
    Object.assign(Object(edited['spec']), { approved: true });
  });
  return true;
}

const summary = (cluster: SimulatedCluster): string =>
  cluster
    .list(CSV)
    .map(({ metadata, status }) => `${metadata.name} ${Object(status).phase}`)
    .join(', ');

const CLUSTER_WIDE = [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
  { apiVersion: 'operators.coreos.com/v1', kind: 'Operator' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
];
const QUIET_FOR_MS = 1_000;

/** Removes all that the story left, and waits until no service has anything more to say about it. */
export async function clearAway(environment: KillEnvironment, before: ReadonlySet<string>): Promise<void> {
  const { cluster } = environment;
  const release = () => {
    for (const csv of cluster.list(CSV)) {
      if ((csv.metadata.finalizers ?? []).length > 0)
        cluster.edit({ ...CSV, name: csv.metadata.name }, ({ metadata }) =>
          Object.assign(metadata, { finalizers: [] }),
        );
    }
  };
  cluster.delete(SUBSCRIPTION);
  cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: PLACE });
  const rest = () =>
    CLUSTER_WIDE.flatMap((kind) =>
      cluster
        .list(kind)
        .filter(({ metadata }) => !before.has(`${kind.kind} ${metadata.name}`))
        // Objects of OperatorGroups of other namespaces come back at once.
        .filter(({ metadata }) => (metadata.labels?.['olm.owner.namespace'] ?? PLACE) === PLACE)
        .map(({ metadata }) => ({ ...kind, name: metadata.name })),
    );
  let quietSince = performance.now();
  let seen = cluster.requests.length;
  await until(
    () => {
      release();
      for (const ref of rest()) {
        if (cluster.get(ref) !== undefined) cluster.delete(ref);
      }
      const gone = cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: PLACE }) === undefined;
      const now = cluster.requests.length;
      if (!gone || now !== seen || rest().length > 0) quietSince = performance.now();
      seen = now;
      return performance.now() - quietSince > QUIET_FOR_MS;
    },
    'the story to be cleared away',
    environment,
  );
}

/** Returns objects at cluster level that belong to no story. */
export const atClusterLevel = ({ cluster }: KillEnvironment): ReadonlySet<string> =>
  new Set(CLUSTER_WIDE.flatMap((kind) => cluster.list(kind).map(({ metadata }) => `${kind.kind} ${metadata.name}`)));

/** `waitingFor` undefined: no matter when time is up, the caller finds out. */
async function until(
  holds: () => boolean,
  waitingFor: string | undefined,
  environment: KillEnvironment,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > deadline) {
      if (waitingFor === undefined) return;
      const found = `CSVs: ${summary(environment.cluster)}\n${await environment.logs()}`;
      throw new Error(`waited ${PATIENCE_MS} ms for ${waitingFor}; ${found}`);
    }
    await pause(POLL_EVERY_MS);
  }
}
