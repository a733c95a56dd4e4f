import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { isHealthy } from '#core/classic/subscription/catalog-health';
import { type ClusterObjects, clusterFindings, type Finding } from '#core/cluster/diagnosis/cluster-findings';
import { diagnoseConditions, isServed } from '#core/cluster/diagnosis/diagnose-conditions';
import { saidByEvent } from '#core/cluster/diagnosis/hindered-hub';
import { upgradeBlockers } from '#core/cluster/openshift/cluster-operator-upgradeable';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { INSTALL_PLAN_API, type InstallPlan } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API, type OperatorGroup } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import type { Settings } from '#platform/config/settings';
import { inParallel } from '#platform/fairness/in-parallel';
import { type KindRef, KubeApiError, type KubeClient, type ListOptions } from '#platform/kube/client/kube-client.port';
import { type RefusedRead, refusedReads } from '../../clusters/refused-reads.js';
import { orRefusal, type Withheld, withheldCatalogs } from '../../clusters/withheld.js';

/** The number of healthy objects, and of all. */
export type Share = Readonly<{ well: number; of: number }>;

/** One cluster on the screen of `flotilla status`. */
export type ClusterStatus = Readonly<{
  cluster: string;
  version: string;
  catalogs: Share;
  subscriptions: Share;
  operators: Share;
  /** ClusterExtensions that have the requested version, and it is available. */
  extensions: Share;
  /**
   * The reasons for which operators block the next minor version of OpenShift, one line each; absent if none
   * does.
   */
  upgradeBlockers?: readonly string[];
  /** Objects that this login may not read there; absent if it reads all. */
  withheld?: readonly Withheld[];
  /** The waiting objects with their reasons; the most urgent first. */
  findings: readonly Finding[];
}>;

/**
 * Reads a cluster's objects of OLM and reports those that wait. With a namespace, reports only its objects
 * and the catalogs visible to it. Rejects if the cluster does not answer.
 */
export async function clusterStatus(
  client: KubeClient,
  settings: Settings,
  namespace: string | undefined,
): Promise<ClusterStatus> {
  const [version, { objects, withheld }, blockers, refused] = await Promise.all([
    client.serverVersion(),
    namespace === undefined ? readObjects(client, settings) : readNamespace(client, settings, namespace),
    openShiftBlockers(client),
    refusedReads(client, new Date()),
  ]);
  const findings = [...refused.map(refusedFinding), ...clusterFindings(objects)];
  const { catalogSources, subscriptions, csvs, conditioned } = objects;
  const ofKind = (wanted: string) => conditioned.filter(({ kind }) => kind === wanted);
  const sources = share(catalogSources, isHealthy);
  const served = share(ofKind('ClusterCatalog'), isServed);
  return {
    cluster: client.cluster,
    version,
    catalogs: { well: sources.well + served.well, of: sources.of + served.of },
    subscriptions: share(subscriptions, ({ status }) => status?.state === 'AtLatestKnown'),
    operators: share(
      csvs.filter((csv) => !isCopied(csv)),
      ({ status }) => status?.phase === 'Succeeded',
    ),
    extensions: share(ofKind('ClusterExtension'), isWell),
    ...(blockers.length > 0 && { upgradeBlockers: blockers }),
    ...(withheld.length > 0 && { withheld }),
    findings: namespace === undefined ? findings : findings.filter((one) => one.namespace === namespace),
  };
}

const refusedFinding = ({ about, ...event }: RefusedRead): Finding => ({
  ...about,
  ...(about.kind === 'Namespace' ? { namespace: about.name } : {}),
  ...saidByEvent(event),
});

/**
 * The ClusterOperators of OLM Classic and of OLM v1: their condition Upgradeable is asked before an upgrade.
 */
const OLM_OPERATORS = ['operator-lifecycle-manager', 'olm'];

/**
 * Returns the reasons that block an upgrade of OpenShift. Returns none on other clusters, or if the user may
 * not read ClusterOperators.
 */
async function openShiftBlockers(client: KubeClient): Promise<readonly string[]> {
  if (!(await client.serves(KIND.ClusterOperator))) return [];
  try {
    const found = await Promise.all(OLM_OPERATORS.map((name) => client.get({ ...KIND.ClusterOperator, name })));
    return upgradeBlockers(found.filter((one) => one !== undefined));
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    return [];
  }
}

const isWell = (object: KubernetesObject): boolean => diagnoseConditions(object).standing === 'well';

const share = <T>(all: readonly T[], isWell: (one: T) => boolean): Share => ({
  well: all.filter(isWell).length,
  of: all.length,
});

const READS_AT_ONCE = 8;

/** Returns the copies in places for a Subscription's own CSV; a cluster may hold thousands of others. */
async function copiesBeside(
  client: KubeClient,
  subscriptions: readonly Subscription[],
  csvs: readonly ClusterServiceVersion[],
): Promise<ClusterServiceVersion[]> {
  const known = new Set(csvs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const missing = subscriptions.flatMap(({ metadata: { namespace = '' }, status }) =>
    status?.currentCSV && !known.has(`${namespace}/${status.currentCSV}`)
      ? [{ ...CSV_API, name: status.currentCSV, namespace }]
      : [],
  );
  const found = await inParallel(missing, READS_AT_ONCE, (ref) => client.get<ClusterServiceVersion>(ref));
  return found.filter((csv) => csv !== undefined);
}

/** Objects of OLM, and those among them that this login may not read. */
type Read = Readonly<{ objects: ClusterObjects; withheld: readonly Withheld[] }>;

type Lists = <T extends KubernetesObject>(kind: KindRef, options?: ListOptions) => Promise<readonly T[]>;

const listsOf =
  (client: KubeClient): Lists =>
  async <T extends KubernetesObject>(kind: KindRef, options: ListOptions = {}): Promise<readonly T[]> => {
    const found = await client.list<T>(kind, options);
    return (found?.items ?? []).map((item) => ({ ...item, ...kind }));
  };

const ORIGINALS = { labelSelector: `!${COPIED_FROM_LABEL}` };

async function readObjects(client: KubeClient, settings: Settings): Promise<Read> {
  const list = listsOf(client);
  const v1 = (kind: string) => list({ apiVersion: CLUSTER_CATALOG_API.apiVersion, kind });
  const [globalCatalogNamespace, catalogSources, ofNamespaces, ...conditioned] = await Promise.all([
    globalCatalogNamespaceOf(client, settings),
    list<CatalogSource>(CATALOG_SOURCE_API),
    readOwn(client, list, {}),
    v1('ClusterCatalog'),
    v1('ClusterExtension'),
  ]);
  const objects = { globalCatalogNamespace, catalogSources, ...ofNamespaces, conditioned: conditioned.flat() };
  return { objects, withheld: [] };
}

/**
 * Reads the objects of a namespace, and the catalogs that it sees; ClusterExtensions and ClusterCatalogs are
 * in none. Global catalogs that may not be read are left out.
 */
async function readNamespace(client: KubeClient, settings: Settings, namespace: string): Promise<Read> {
  const list = listsOf(client);
  const globalCatalogNamespace = await globalCatalogNamespaceOf(client, settings);
  const isGlobal = namespace === globalCatalogNamespace;
  const [own, global, ofNamespace] = await Promise.all([
    list<CatalogSource>(CATALOG_SOURCE_API, { namespace }),
    isGlobal ? [] : orRefusal(list<CatalogSource>(CATALOG_SOURCE_API, { namespace: globalCatalogNamespace })),
    readOwn(client, list, { namespace }),
  ]);
  const isHidden = global instanceof KubeApiError;
  return {
    objects: {
      globalCatalogNamespace,
      catalogSources: isHidden ? own : [...own, ...global],
      ...ofNamespace,
      conditioned: [],
      ...(isHidden && { hiddenCatalogs: [globalCatalogNamespace] }),
    },
    withheld: isHidden ? [withheldCatalogs(globalCatalogNamespace, global)] : [],
  };
}

async function readOwn(client: KubeClient, list: Lists, where: Pick<ListOptions, 'namespace'>) {
  const [subscriptions, installPlans, csvs, operatorGroups] = await Promise.all([
    list<Subscription>(SUBSCRIPTION_API, where),
    list<InstallPlan>(INSTALL_PLAN_API, where),
    list<ClusterServiceVersion>(CSV_API, { ...where, ...ORIGINALS }),
    list<OperatorGroup>(OPERATOR_GROUP_API, where),
  ]);
  const copies = await copiesBeside(client, subscriptions, csvs);
  return { subscriptions, installPlans, csvs: [...csvs, ...copies], operatorGroups };
}
