import type { CatalogSource } from '../api/catalog-source.js';
import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import type { InstallPlan } from '../api/install-plan.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import type { OperatorGroup } from '../api/operator-group.js';
import type { Subscription } from '../api/subscription.js';
import { byCodeUnit } from '../canonical/canonical-json.js';
import { isCopied } from '../csv/csv-facts.js';
import { atBlockingCatalogs } from './blocking-catalogs.js';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { diagnoseConditions } from './diagnose-conditions.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { diagnoseSubscription } from './diagnose-subscription.js';
import { type Diagnosis, type Named, named, urgency } from './diagnosis.js';

/** OLM's objects of one cluster; of copies of CSVs only those whose place a Subscription expects a CSV of its own in. */
export type ClusterObjects = Readonly<{
  globalCatalogNamespace: string;
  catalogSources: readonly CatalogSource[];
  subscriptions: readonly Subscription[];
  installPlans: readonly InstallPlan[];
  csvs: readonly ClusterServiceVersion[];
  operatorGroups: readonly OperatorGroup[];
  /** ClusterCatalogs and ClusterExtensions. */
  conditioned: readonly KubernetesObject[];
}>;

/** An object that is not well, and why. */
export type Finding = Named & Diagnosis;

/**
 * Everything in a cluster that is not well, the most urgent first, then by namespace, kind and name. A cause is told once, at
 * the object where it lies: what a Subscription waits for is not told again at the Subscription.
 */
export function clusterFindings(objects: ClusterObjects): Finding[] {
  const { catalogSources, installPlans, subscriptions, csvs, conditioned } = objects;
  const current = new Set(
    subscriptions.map(({ metadata, status }) => planKey(metadata.namespace, status?.installPlanRef?.name)),
  );
  const plans = installPlans.filter(
    ({ metadata, status }) =>
      status?.phase === 'RequiresApproval' || current.has(planKey(metadata.namespace, metadata.name)),
  );
  const all = [
    ...catalogSources.map((one) => finding(one, diagnoseCatalogSource(one))),
    ...plans.map((one) => finding(one, diagnoseInstallPlan(one))),
    ...csvs.filter((one) => !isCopied(one)).map((one) => finding(one, diagnoseCsv(one))),
    ...subscriptions.map((one) => finding(one, diagnoseSubscription(one, around(one, objects)))),
    ...atBlockingCatalogs(conditioned.map((one) => finding(one, diagnoseConditions(one)))),
  ];
  return all.filter(({ standing, root }) => standing !== 'well' && root === undefined).sort(mostUrgentFirst);
}

const planKey = (namespace = '', name = ''): string => `${namespace}/${name}`;

const finding = (object: KubernetesObject, diagnosis: Diagnosis): Finding => ({ ...named(object), ...diagnosis });

/** What the Subscription's namespace holds and sees. */
function around({ metadata: { namespace } }: Subscription, objects: ClusterObjects) {
  const own = <T extends KubernetesObject>(all: readonly T[]) =>
    all.filter(({ metadata }) => metadata.namespace === namespace);
  const global = objects.globalCatalogNamespace;
  return {
    operatorGroups: own(objects.operatorGroups),
    installPlans: own(objects.installPlans),
    csvs: own(objects.csvs),
    catalogSources: objects.catalogSources.filter(({ metadata }) => [namespace, global].includes(metadata.namespace)),
  };
}

const mostUrgentFirst = (a: Finding, b: Finding): number =>
  urgency(a.standing) - urgency(b.standing) ||
  byCodeUnit(a.namespace ?? '', b.namespace ?? '') ||
  byCodeUnit(a.kind, b.kind) ||
  byCodeUnit(a.name, b.name);
