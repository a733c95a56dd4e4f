import { diagnoseSubscription, type Surroundings } from '../../cluster/diagnosis/diagnose-subscription.js';
import { named } from '../../cluster/diagnosis/diagnosis.js';
import { fleetWorkOf } from '../../cluster/diagnosis/fleet-work.js';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { isDeprecated } from '../../kernel/conditions/deprecation-types.js';
import { type CatalogFacts, newestBundle } from './catalog-row.js';
import { fleetPart, type PlanFacts, planHash, planRow } from './plan-row.js';
import type { RowPart } from './row-parts.js';
import { rowCause, rowText } from './row-text.js';
import type { OperatorRow, PlanRow } from './rows.js';

/** The poller's facts about a namespace: objects of its cache, and the part that rows need in addition. */
type NamespaceFacts = Readonly<{
  cluster: string;
  namespace: string;
  subscriptions: readonly Subscription[];
  operatorGroups: readonly OperatorGroup[];
  csvs: readonly ClusterServiceVersion[];
  /** Plans that are not complete, and approved ones with an approval that no row has shown yet. */
  plans: readonly PlanFacts[];
  /** The catalogs that the namespace sees. */
  catalogs: readonly CatalogFacts[];
  partOf: (object: KubernetesObject) => RowPart | undefined;
  /** True if an operator outside of the namespace owns the definition. */
  isShared: (definition: string) => boolean;
}>;

/** The time at which the rows were computed, RFC 3339. The differ restores the times of unchanged rows. */
type RowMoment = Readonly<{ now: string }>;

/** The operators of a namespace, and its plans that are not complete. */
export function namespaceRows(facts: NamespaceFacts, { now }: RowMoment): readonly (OperatorRow | PlanRow)[] {
  const subscriptions = facts.subscriptions.map((one) => withSubscriptionPart(one, facts.partOf(one)));
  const around: Surroundings = {
    operatorGroups: facts.operatorGroups.map((one) => withGroupPart(one, facts.partOf(one))),
    csvs: facts.csvs.map((one) => withCsvPart(one, facts.partOf(one))),
    installPlans: facts.plans.map(({ plan }) => plan).filter(({ status }) => status?.phase !== 'Complete'),
    catalogSources: facts.catalogs.map(({ source }) => source),
  };
  return [
    ...subscriptions.map((one) => operatorRow(one, subscriptions, facts, around, now)),
    ...facts.plans
      .filter(({ plan }) => plan.status !== undefined)
      .map((one) => planRow(one, { ...facts, subscriptions }, now)),
  ];
}

/** Returns a Subscription with the parts of its status that the cache drops. */
const withSubscriptionPart = (subscription: Subscription, part: RowPart | undefined): Subscription => {
  const { installPlanRef: _name, conditions: _cut, ...status } = subscription.status ?? {};
  const own = part?.kind === 'Subscription' ? part : undefined;
  return {
    ...subscription,
    ...(own?.marks && { metadata: { ...subscription.metadata, annotations: own.marks } }),
    status: {
      ...status,
      ...(own !== undefined && { conditions: [...own.conditions] }),
      ...(own !== undefined && own.plan !== '' && { installPlanRef: { name: own.plan } }),
    },
  };
};

const withGroupPart = (group: OperatorGroup, part: RowPart | undefined): OperatorGroup =>
  part?.kind === 'OperatorGroup'
    ? { ...group, spec: { ...group.spec, serviceAccountName: part.account }, status: part.status }
    : group;

const withCsvPart = (csv: ClusterServiceVersion, part: RowPart | undefined): ClusterServiceVersion =>
  part?.kind === 'ClusterServiceVersion' ? { ...csv, status: { ...csv.status, ...part.status } } : csv;

function operatorRow(
  subscription: Subscription,
  all: readonly Subscription[],
  facts: NamespaceFacts,
  around: Surroundings,
  now: string,
): OperatorRow {
  const { cluster, namespace } = facts;
  const { metadata, spec, status } = subscription;
  const { name = '' } = metadata;
  const found = diagnoseSubscription(subscription, around);
  const cause = rowCause(found, named(subscription), [spec.name]);
  const { installedCSV = '', currentCSV = '' } = status ?? {};
  const waiting = facts.plans.find(
    ({ plan }) => plan.metadata.name === status?.installPlanRef?.name && isWaiting(plan.status?.phase),
  );
  return {
    ...{ kind: 'operator', id: `subscription/${namespace}/${name}`, cluster, namespace, name, updatedAt: now },
    ...{ api: 'classic', package: spec.name, catalog: `${spec.sourceNamespace}/${spec.source}` },
    channel: spec.channel ?? '',
    installed: installedCSV,
    version: versionOf(installedCSV, around.csvs),
    next: currentCSV === installedCSV ? '' : currentCSV,
    newest: newestBundle(facts.catalogs.find(isSourceOf(subscription)), spec.name, spec.channel ?? ''),
    approval: spec.installPlanApproval === 'Manual' ? 'Manual' : 'Automatic',
    standing: found.standing,
    ...(cause !== undefined && { cause }),
    since: now,
    ...(found.stillRuns !== undefined && { stillRuns: found.stillRuns }),
    ...fleetPart(fleetWorkOf(subscription)),
    plan: waiting?.plan.metadata.name ?? '',
    planHash: waiting === undefined ? '' : planHash(waiting, all),
    deprecated: isDeprecated(status?.conditions),
  };
}

const isWaiting = (phase: string | undefined): boolean => phase === 'RequiresApproval';

const isSourceOf =
  ({ spec }: Subscription) =>
  ({ source: { metadata } }: Readonly<{ source: CatalogSource }>): boolean =>
    metadata.name === spec.source && metadata.namespace === spec.sourceNamespace;

/**
 * Returns the version of the installed operator. If only its name is known, returns the text after its `.v`.
 */
function versionOf(installed: string, csvs: readonly ClusterServiceVersion[]): string {
  if (installed === '') return '';
  const csv = csvs.find(({ metadata }) => metadata.name === installed);
  const version = csv === undefined || isCopied(csv) ? undefined : csv.spec['version'];
  return rowText(typeof version === 'string' ? version : (/\.v?(\d.*)$/.exec(installed)?.[1] ?? ''));
}
