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

/** How many of how many are well. */
export type Share = Readonly<{ well: number; of: number }>;

/** One cluster on the screen of `flotilla status`. */
export type ClusterStatus = Readonly<{
  cluster: string;
  version: string;
  catalogs: Share;
  subscriptions: Share;
  operators: Share;
  /** ClusterExtensions that have what they ask for, and it is available. */
  extensions: Share;
  /** Why operators block the next minor version of OpenShift, one line each; absent where none does. */
  upgradeBlockers?: readonly string[];
  /** What waits there, and why; the most urgent first. */
  findings: readonly Finding[];
}>;

/**
 * Reads a cluster's objects of OLM and says what waits there; with a namespace, only what is in it and the
 * catalogs that it sees. Rejects where the cluster does not answer.
 */
export async function clusterStatus(
  client: KubeClient,
  settings: Settings,
  namespace: string | undefined,
): Promise<ClusterStatus> {
  const [version, objects, blockers, refused] = await Promise.all([
    client.serverVersion(),
    readObjects(client, settings),
    openShiftBlockers(client),
    refusedReads(client, new Date()),
  ]);
  const findings = [...refused.map(refusedFinding), ...clusterFindings(objects)];
  const { catalogSources, subscriptions, csvs, conditioned } =
    namespace === undefined ? objects : within(objects, namespace);
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

/** Empty on other clusters than OpenShift, and where the user may not read ClusterOperators. */
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

/**
 * What a namespace holds, and the catalogs that it sees; ClusterExtensions and ClusterCatalogs are in none.
 */
function within(objects: ClusterObjects, namespace: string): ClusterObjects {
  const own = <T extends KubernetesObject>(all: readonly T[], ...others: readonly string[]) =>
    all.filter(({ metadata }) => [namespace, ...others].includes(metadata.namespace ?? ''));
  return {
    ...objects,
    catalogSources: own(objects.catalogSources, objects.globalCatalogNamespace),
    subscriptions: own(objects.subscriptions),
    csvs: own(objects.csvs),
    conditioned: [],
  };
}

const isWell = (object: KubernetesObject): boolean => diagnoseConditions(object).standing === 'well';

const share = <T>(all: readonly T[], isWell: (one: T) => boolean): Share => ({
  well: all.filter(isWell).length,
  of: all.length,
});

const READS_AT_ONCE = 8;

/**
 * The copies that stand where Subscriptions expect a CSV of their own; a cluster may
 * hold thousands of others.
 */
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

async function readObjects(client: KubeClient, settings: Settings): Promise<ClusterObjects> {
  const list = async <T extends KubernetesObject>(kind: KindRef, options: ListOptions = {}): Promise<readonly T[]> => {
    const found = await client.list<T>(kind, options);
    return (found?.items ?? []).map((item) => ({ ...item, ...kind }));
  };
  const v1 = (kind: string) => list({ apiVersion: CLUSTER_CATALOG_API.apiVersion, kind });
  const [globalCatalogNamespace, catalogSources, subscriptions, installPlans, csvs, operatorGroups, ...conditioned] =
    await Promise.all([
      globalCatalogNamespaceOf(client, settings),
      list<CatalogSource>(CATALOG_SOURCE_API),
      list<Subscription>(SUBSCRIPTION_API),
      list<InstallPlan>(INSTALL_PLAN_API),
      list<ClusterServiceVersion>(CSV_API, { labelSelector: `!${COPIED_FROM_LABEL}` }),
      list<OperatorGroup>(OPERATOR_GROUP_API),
      v1('ClusterCatalog'),
      v1('ClusterExtension'),
    ]);
  return {
    globalCatalogNamespace,
    catalogSources,
    subscriptions,
    installPlans,
    csvs: [...csvs, ...(await copiesBeside(client, subscriptions, csvs))],
    operatorGroups,
    conditioned: conditioned.flat(),
  };
}
