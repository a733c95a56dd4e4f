import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { CLUSTER_EXTENSION_API } from '../../kernel/api/cluster-extension.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../kernel/api/csv-facts.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { atBlockingCatalogs, atBlockingSources } from './blocking-catalogs.js';
import { blockingGroups } from './blocking-groups.js';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { diagnoseConditions } from './diagnose-conditions.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { diagnoseExtension, type ExtensionSurroundings } from './diagnose-extension.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { diagnoseSubscription, type Surroundings } from './diagnose-subscription.js';
import { type Diagnosis, type Named, named, urgency } from './diagnosis.js';

/**
 * OLM's objects of one cluster. Copies of CSVs are included only if a Subscription expects its own CSV under
 * the same name.
 */
export type ClusterObjects = Readonly<{
  globalCatalogNamespace: string;
  catalogSources: readonly CatalogSource[];
  subscriptions: readonly Subscription[];
  installPlans: readonly InstallPlan[];
  csvs: readonly ClusterServiceVersion[];
  operatorGroups: readonly OperatorGroup[];
  /** ClusterCatalogs and ClusterExtensions. */
  conditioned: readonly KubernetesObject[];
  /** Namespaces with CatalogSources that the login may not read. */
  hiddenCatalogs?: readonly string[];
}>;

/** An object that is not healthy, with its diagnosis. */
export type Finding = Named & Diagnosis;

/**
 * Returns every unhealthy object of a cluster: the most urgent first, then by namespace, kind and name. A
 * cause is reported once, at the object that has it. A Subscription that waits for that object does not
 * repeat it.
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
  const around = surroundings(objects);
  const beside = surroundings({ ...objects, installPlans: plans });
  const own = csvs.filter((one) => !isCopied(one));
  const byNamespace = Map.groupBy(subscriptions, ({ metadata }) => metadata.namespace);
  const subscribed = ({ metadata }: InstallPlan) => byNamespace.get(metadata.namespace) ?? [];
  const perSubscription = subscriptions.map((one) => finding(one, diagnoseSubscription(one, around(one))));
  const all = [
    ...atBlockingSources(
      catalogSources.map((one) => finding(one, diagnoseCatalogSource(one))),
      perSubscription,
    ),
    ...plans.map((one) => finding(one, diagnoseInstallPlan(one, around(one).operatorGroups, subscribed(one)))),
    ...own.map((one) => finding(one, diagnoseCsv(one, beside(one)))),
    ...perSubscription,
    ...atBlockingCatalogs(
      conditioned.map((one) => finding(one, conditionedDiagnosis(one, { csvs: own, clusterCatalogs: conditioned }))),
    ),
  ];
  const groups = blockingGroups(all, (namespace) => around({ metadata: { namespace } }).operatorGroups);
  return [...all, ...groups]
    .filter(({ standing, root }) => standing !== 'well' && root === undefined)
    .sort(mostUrgentFirst);
}

const conditionedDiagnosis = (object: KubernetesObject, around: ExtensionSurroundings): Diagnosis =>
  object.kind === CLUSTER_EXTENSION_API.kind ? diagnoseExtension(object, around) : diagnoseConditions(object);

const planKey = (namespace = '', name = ''): string => `${namespace}/${name}`;

const finding = (object: KubernetesObject, diagnosis: Diagnosis): Finding => ({ ...named(object), ...diagnosis });

/** Returns a function that finds the objects that the namespace of an object holds and sees. */
function surroundings(objects: ClusterObjects): (object: Pick<KubernetesObject, 'metadata'>) => Surroundings {
  const of = ({ metadata }: KubernetesObject): string => metadata.namespace ?? '';
  const operatorGroups = Map.groupBy(objects.operatorGroups, of);
  const installPlans = Map.groupBy(objects.installPlans, of);
  const csvs = Map.groupBy(objects.csvs, of);
  const catalogSources = Map.groupBy(objects.catalogSources, of);
  const subscriptions = Map.groupBy(objects.subscriptions, of);
  const global = objects.globalCatalogNamespace;
  return ({ metadata: { namespace = '' } }) => ({
    operatorGroups: operatorGroups.get(namespace) ?? [],
    installPlans: installPlans.get(namespace) ?? [],
    csvs: csvs.get(namespace) ?? [],
    subscriptions: subscriptions.get(namespace) ?? [],
    catalogSources: [...new Set([namespace, global])].flatMap((one) => catalogSources.get(one) ?? []),
    hiddenCatalogs: objects.hiddenCatalogs ?? [],
  });
}

const mostUrgentFirst = (a: Finding, b: Finding): number =>
  urgency(a.standing) - urgency(b.standing) ||
  byCodeUnit(a.namespace ?? '', b.namespace ?? '') ||
  byCodeUnit(a.kind, b.kind) ||
  byCodeUnit(a.name, b.name);
