import type { CatalogSource } from '../api/catalog-source.js';
import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import type { InstallPlan } from '../api/install-plan.js';
import type { OperatorGroup } from '../api/operator-group.js';
import type { Subscription } from '../api/subscription.js';
import { isCopied, originalNamespace } from '../csv/csv-facts.js';
import { REPLACE_COPIES_ANNOTATION } from '../install-plan/replace-copy.js';
import { isHealthy } from '../subscription/catalog-health.js';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { causedBy, type Diagnosis, diagnosis, sentence } from './diagnosis.js';

/** The objects of a Subscription's namespace, and the CatalogSources that it sees. */
export type Surroundings = Readonly<{
  operatorGroups: readonly OperatorGroup[];
  installPlans: readonly InstallPlan[];
  csvs: readonly ClusterServiceVersion[];
  catalogSources: readonly CatalogSource[];
}>;

type Rule = (subscription: Subscription, around: Surroundings) => Diagnosis | undefined;

/** Its way from wish to running operator; the first that stops it is the reason (spec: subscriptions.md §2). */
const rules: readonly Rule[] = [groupCount, targetedCatalog, failedPlan, unpacking, resolution, plan, operator];

/** What a Subscription waits for or why it failed, from what lies in its cluster. */
export function diagnoseSubscription(subscription: Subscription, around: Surroundings): Diagnosis {
  for (const rule of rules) {
    const found = rule(subscription, around);
    if (found !== undefined) return found;
  }
  const { installedCSV } = subscription.status ?? {};
  if (installedCSV) return diagnosis('well', `${installedCSV} is installed and its operator runs.`);
  return diagnosis(
    'under-way',
    'Nothing was resolved for it yet.',
    'See that the hub runs and manages this cluster: flotilla status.',
  );
}

function groupCount({ metadata }: Subscription, { operatorGroups }: Surroundings): Diagnosis | undefined {
  if (operatorGroups.length === 1) return undefined;
  const names = operatorGroups.map((group) => group.metadata.name).join(', ');
  const where = `namespace ${metadata.namespace ?? ''}`;
  return operatorGroups.length === 0
    ? diagnosis(
        'blocked',
        `There is no OperatorGroup in ${where}: nothing is resolved there.`,
        `Create an OperatorGroup in ${where} that says which namespaces its operators watch.`,
      )
    : diagnosis(
        'blocked',
        `There are ${operatorGroups.length} OperatorGroups in ${where} (${names}): nothing is resolved there.`,
        'Delete all of them but one.',
      );
}

function targetedCatalog({ spec }: Subscription, { catalogSources }: Surroundings): Diagnosis | undefined {
  const name = `${spec.sourceNamespace}/${spec.source}`;
  const source = catalogSources.find(
    ({ metadata }) => metadata.name === spec.source && metadata.namespace === spec.sourceNamespace,
  );
  if (source === undefined) {
    const todo = `Correct spec.source and spec.sourceNamespace, or create CatalogSource ${name}; others than those of its own and of the global namespace are not seen.`;
    return diagnosis('blocked', `Its CatalogSource ${name} is not there, or not in sight.`, todo);
  }
  const broken = [source, ...catalogSources].find((candidate) => !isHealthy(candidate));
  if (broken === undefined) return undefined;
  const which = `${broken.metadata.namespace}/${broken.metadata.name}`;
  const cause = diagnoseCatalogSource(broken);
  const seen = `CatalogSource ${which} is not ready, and all that its namespace sees must be.`;
  return { ...causedBy(seen, broken, cause), standing: cause.standing === 'failed' ? 'blocked' : cause.standing };
}

const referencedPlan = ({ status }: Subscription, { installPlans }: Surroundings): InstallPlan | undefined =>
  installPlans.find(({ metadata }) => metadata.name === status?.installPlanRef?.name);

function failedPlan(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const found = referencedPlan(subscription, around);
  if (found?.status?.phase !== 'Failed') return undefined;
  return causedBy(`Its InstallPlan ${found.metadata.name} failed.`, found, diagnoseInstallPlan(found));
}

const conditionOf = ({ status }: Subscription, type: string) =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

function unpacking(subscription: Subscription): Diagnosis | undefined {
  const failed = conditionOf(subscription, 'BundleUnpackFailed');
  if (failed === undefined) return undefined;
  return diagnosis(
    'failed',
    ['The bundle that was chosen for it could not be fetched.', sentence(failed.message ?? '')],
    'See whether the image can be pulled: flotilla bundle validate IMAGE; a private one needs spec.secrets at the CatalogSource.',
  );
}

function resolution(subscription: Subscription): Diagnosis | undefined {
  const failed = conditionOf(subscription, 'ResolutionFailed');
  if (failed === undefined) return undefined;
  const { name = '', namespace = '' } = subscription.metadata;
  return diagnosis(
    'failed',
    [`Its namespace could not be resolved (${failed.reason ?? ''}).`, sentence(failed.message ?? '')],
    `flotilla explain subscription ${name} -n ${namespace}`,
  );
}

function plan(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const found = referencedPlan(subscription, around);
  if (found === undefined || found.status?.phase === 'Complete') return undefined;
  return causedBy(`It has InstallPlan ${found.metadata.name}.`, found, diagnoseInstallPlan(found));
}

function operator(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const { status } = subscription;
  const name = status?.currentCSV || status?.installedCSV;
  if (!name) return undefined;
  const csv = around.csvs.find(({ metadata }) => metadata.name === name);
  if (csv === undefined) return withoutOperator(subscription, name, around);
  if (isCopied(csv)) return besideCopy(subscription, csv, around);
  const found = diagnoseCsv(csv);
  return found.standing === 'well'
    ? undefined
    : causedBy(`ClusterServiceVersion ${name} has not succeeded.`, csv, found);
}

const madeAnew = (plan: InstallPlan): string =>
  `flotilla retry installplan ${plan.metadata.name ?? ''} -n ${plan.metadata.namespace ?? ''} --replan`;

/** The CSV was deleted, or was a copy and its original is gone. A complete plan can be made anew; without one nothing comes. */
function withoutOperator(subscription: Subscription, name: string, around: Surroundings): Diagnosis {
  const done = referencedPlan(subscription, around);
  const todo =
    done === undefined
      ? 'Delete the Subscription and create it anew, if the ClusterServiceVersion was deleted; else wait for it.'
      : `If it was deleted, or was a copy whose original is gone, have it installed: ${madeAnew(done)}`;
  return diagnosis('blocked', `ClusterServiceVersion ${name} is not there.`, todo);
}

function besideCopy(subscription: Subscription, copy: ClusterServiceVersion, around: Surroundings): Diagnosis {
  const { name = '', namespace = '' } = subscription.metadata;
  const original = originalNamespace(copy);
  const group = around.operatorGroups[0]?.metadata.name ?? '';
  const done = referencedPlan(subscription, around);
  return diagnosis(
    'blocked',
    [
      `ClusterServiceVersion ${copy.metadata.name ?? ''} here is a copy from namespace ${original}; this Subscription installs nothing.`,
      `The operator runs in namespace ${original}, whose OperatorGroup selects this namespace, too.`,
    ],
    [
      `If that operator is enough, delete the Subscription: kubectl -n ${namespace} delete subscription ${name}`,
      `Otherwise let plans of this namespace replace copies: kubectl -n ${namespace} annotate operatorgroup ${group} ${REPLACE_COPIES_ANNOTATION}=true`,
      ...(done === undefined
        ? ['Then delete the Subscription and create it anew.']
        : [`Then have the plan made anew: ${madeAnew(done)}`]),
      `Two operators may not provide the same API to the same namespace: narrow the OperatorGroup of namespace ${original} first, or the new one fails with InterOperatorGroupOwnerConflict.`,
    ],
  );
}
