import { isClusterName } from '#core/cluster/membership/kubeconfig-readings';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { dnsName } from '#core/kernel/labels/dns-name';
import { kubeconfigOf } from '#platform/clusters/joined-clusters';
import { hubNamespace } from '#platform/config/fleet-place';
import type { Settings } from '#platform/config/settings';
import { KUBECONFIG_SECRET, secretAccess } from '#platform/fleet/secret-access';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { NEXT } from '../../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

type JoinFleetOptions = Readonly<{
  /** The namespace of the hub, with the Secrets. */
  namespace: string;
  labels: Readonly<Record<string, string>>;
  update: boolean;
  dryRun: boolean;
  /** The UID of the cluster that a login leads to; undefined: it was not asked. */
  identify: (access: ClusterAccess) => Promise<string | undefined>;
}>;

const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;

/** True if a setting names a hub API, so that clusters join by FleetClusters (design: fleet.md §2). */
export const hasHubApi = (fleet: string): boolean => fleet === 'in-cluster' || fleet.startsWith('context:');

/**
 * Returns the namespace of the hub in the API server that `--fleet` names, otherwise that of FLOTILLA_FLEET.
 */
export const fleetNamespace = (settings: Settings, fleet: string | undefined): Promise<string> =>
  hubNamespace({ ...settings, fleet: fleet === undefined || fleet === 'in-cluster' ? (fleet ?? settings.fleet) : '' });

/**
 * Runs `flotilla clusters add` with a hub API: creates a Secret with the login, and the FleetCluster that
 * refers to it. A context name that no object can have is turned into one that an object can have.
 */
export async function joinFleet(
  io: Io,
  hub: KubeClient,
  wanted: readonly ClusterAccess[],
  options: JoinFleetOptions,
): Promise<void> {
  if (!(await hub.serves(FLEET_CLUSTER))) {
    throw new UsageError(`${hub.cluster} does not serve FleetClusters: first run ${NEXT.initFleet(hub.cluster)}`);
  }
  const named = wanted.map((access) => ({ ...access, context: nameOf(access.context) }));
  const twice = named.find(({ context }, at) => named.findIndex((one) => one.context === context) !== at);
  if (twice !== undefined) throw new UsageError(`two contexts would be cluster "${twice.context}": give --name`);
  for (const access of named) await joinOne(io, hub, access, options);
  if (!options.dryRun)
    io.err('A running hub manages it within seconds, if poller and applier may read Secrets there.\n');
  io.exit(ExitCode.done);
}

const nameOf = (context: string): string => (isClusterName(context) ? context : dnsName(context));

async function joinOne(io: Io, hub: KubeClient, access: ClusterAccess, options: JoinFleetOptions): Promise<void> {
  const { namespace, update, dryRun } = options;
  const { context: name } = access;
  const secret = secretOf(access, namespace);
  const read = secretAccess(secret);
  if ('fault' in read) {
    const way = 'kubectl config view --raw --flatten --minify writes a kubeconfig without files';
    throw new UsageError(`cluster "${name}" cannot join by a Secret: ${read.fault.message}; ${way}`);
  }
  const found = await hub.get({ ...FLEET_CLUSTER, name });
  const before = FleetCluster.safeParse(found).data;
  const wanted = clusterOf(access, options);
  const where = `the fleet of ${hub.cluster} (Secret ${namespace}/${name})`;
  if (before !== undefined) {
    const live = await hub.get({ ...KIND.Secret, name, namespace });
    const isSame = sameJson(live?.['data'], secret['data']) && holds(before, wanted);
    if (isSame) return io.out(`cluster ${name} exists already in ${where}\n`);
    if (!update) throw new UsageError(`FleetCluster "${name}" exists already; replace its login with --update`);
  }
  const uid = await options.identify(access);
  await refuseTwin(hub, name, uid);
  const done = before === undefined ? 'added to' : 'updated in';
  if (dryRun) return io.out(`cluster ${name} would be ${done} ${where}\n`);
  await makeNamespace(hub, namespace);
  await hub.apply(secret);
  if (found === undefined) await giveTo((await hub.create(withUid(wanted, uid))).object, hub, secret);
  else await hub.patch({ ...FLEET_CLUSTER, name }, changeOf(wanted));
  io.out(`cluster ${name} ${done} ${where}\n`);
}

/** One cluster has one name in a fleet. */
async function refuseTwin(hub: KubeClient, name: string, uid: string | undefined): Promise<void> {
  if (uid === undefined) return;
  const all = (await hub.list(FLEET_CLUSTER))?.items ?? [];
  const uidsOf = ({ spec, status }: KubernetesObject) =>
    [spec, status].map((part) => (part as Readonly<{ uid?: string }> | undefined)?.uid);
  const twin = all.find((one) => one.metadata.name !== name && uidsOf(one).includes(uid));
  if (twin === undefined) return;
  throw new UsageError(`"${name}" leads to a cluster that is already managed as cluster "${twin.metadata.name}"`);
}

async function makeNamespace(hub: KubeClient, name: string): Promise<void> {
  const namespace = KIND.Namespace;
  if ((await hub.get({ ...namespace, name })) === undefined) await hub.create({ ...namespace, metadata: { name } });
}

/** A Secret that is made with a FleetCluster is deleted after it. */
async function giveTo({ metadata }: KubernetesObject, hub: KubeClient, secret: KubernetesObject): Promise<void> {
  const { name = '', namespace } = secret.metadata;
  const owner = { ...FLEET_CLUSTER, name, uid: metadata.uid };
  await hub.patch({ ...KIND.Secret, name, namespace }, { metadata: { ownerReferences: [owner] } });
}

/** The parts of a login that belong to its FleetCluster are no part of the kubeconfig. */
const secretOf = ({ context, file, cluster, user }: ClusterAccess, namespace: string): KubernetesObject => ({
  ...KIND.Secret,
  metadata: { name: context, namespace },
  type: KUBECONFIG_SECRET,
  data: {
    kubeconfig: Buffer.from(JSON.stringify(kubeconfigOf([{ context, file, cluster, user }]))).toString('base64'),
  },
});

const clusterOf = (
  { context: name, globalCatalogNamespace }: ClusterAccess,
  { labels }: JoinFleetOptions,
): KubernetesObject & Readonly<{ spec: Readonly<Record<string, unknown>> }> => ({
  ...FLEET_CLUSTER,
  metadata: { name, labels },
  spec: {
    access: { secretRef: { name } },
    ...(globalCatalogNamespace === undefined ? {} : { globalCatalogNamespace }),
  },
});

/** The cluster that the login leads to now is the one that is meant. */
const withUid = (wanted: ReturnType<typeof clusterOf>, uid: string | undefined): KubernetesObject =>
  uid === undefined ? wanted : { ...wanted, spec: { ...wanted.spec, uid } };

/** True if a FleetCluster has all of these labels and fields. */
function holds({ metadata, spec }: FleetCluster, wanted: ReturnType<typeof clusterOf>): boolean {
  const labels = Object.entries(wanted.metadata.labels ?? {});
  const fields = Object.entries(wanted.spec);
  return (
    labels.every(([key, value]) => metadata.labels?.[key] === value) &&
    fields.every(([key, value]) => sameJson(spec[key as keyof typeof spec], value))
  );
}

/** A context that a FleetCluster named gives way to the Secret. */
const changeOf = ({ metadata, spec }: ReturnType<typeof clusterOf>) => ({
  metadata: { labels: metadata.labels ?? {} },
  spec: { ...spec, access: { ...(spec['access'] as object), context: null } },
});
