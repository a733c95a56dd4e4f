import { BUNDLES_LEFT_OUT } from '../../classic/catalog-source/catalog-source-status.js';
import { EXCLUDE_GLOBAL, excludesGlobal } from '../../classic/resolution/problem/desired-namespace.js';
import { BUNDLE_INCOMPLETE } from '../../classic/subscription/apply-resolution.js';
import { isHealthy } from '../../classic/subscription/catalog-health.js';
import { lostPlans } from '../../classic/subscription/replan-lost.js';
import { type SubscriptionConditionType } from '../../classic/subscription/subscription-conditions.js';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, isCopied, originalNamespace } from '../../kernel/api/csv-facts.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription, SubscriptionCondition } from '../../kernel/api/subscription.js';
import { ADVICE } from '../advice/advice.js';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { diagnoseGroups } from './diagnose-groups.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { causedBy, type Diagnosis, diagnosis, sentence } from './diagnosis.js';
import { plainResolution } from './plain-resolution.js';
import { isNotAdmitted, pullAdvice } from './pull-trouble.js';
import { webhookAdvice } from './stopped-by-webhook.js';

/** The objects of a Subscription's namespace, and the CatalogSources that it sees. */
export type Surroundings = Readonly<{
  operatorGroups: readonly OperatorGroup[];
  installPlans: readonly InstallPlan[];
  csvs: readonly ClusterServiceVersion[];
  catalogSources: readonly CatalogSource[];
  /** All Subscriptions of the namespace, if they were read. */
  subscriptions?: readonly Subscription[];
  /**
   * Namespaces with CatalogSources that the login may not read. A catalog that is missing in `catalogSources`
   * may exist there.
   */
  hiddenCatalogs?: readonly string[];
}>;

type Rule = (subscription: Subscription, around: Surroundings) => Diagnosis | undefined;

/**
 * The way from Subscription to running operator; the first rule that finds an obstacle gives the reason
 * (spec: subscriptions.md §2).
 */
const rules: readonly Rule[] = [
  ...[groups, targetedCatalog, failedPlan, unpacking],
  ...[lostPlan, stoppedUpgrade, resolution, plan, operator],
];

/**
 * Diagnoses a Subscription from the objects of its cluster: the event that it waits for, or the reason for
 * which it failed.
 */
export function diagnoseSubscription(subscription: Subscription, around: Surroundings): Diagnosis {
  for (const rule of rules) {
    const found = rule(subscription, around);
    if (found !== undefined) return beside(found, stillRuns(subscription, around));
  }
  const { installedCSV } = subscription.status ?? {};
  if (installedCSV)
    return diagnosis('well', 'well', [`${installedCSV} is installed and its operator runs.`, ...lacking(subscription)]);
  return diagnosis('not-resolved-yet', 'under-way', 'Nothing was resolved for it yet.', ADVICE.checkHub());
}

/** Returns the unreadable files of the bundle. The operator runs without their content. */
function lacking(subscription: Subscription): readonly string[] {
  const incomplete = conditionOf(subscription, BUNDLE_INCOMPLETE);
  return incomplete === undefined ? [] : [sentence(`Skipped, as OLM does: ${incomplete.message ?? ''}`)];
}

const beside = (found: Diagnosis, runs: string | undefined): Diagnosis =>
  runs === undefined ? found : { ...found, stillRuns: runs };

/**
 * Returns the version that runs while a newer version is blocked. A Subscription names the newer version as
 * installed as soon as its ClusterServiceVersion exists (spec: subscriptions.md §2.4b). While that CSV is
 * Pending, its Deployments are not created. The Deployments of the replaced version keep running.
 */
function stillRuns({ status }: Subscription, { csvs }: Surroundings): string | undefined {
  const named = (name: unknown) => csvs.find((one) => one.metadata.name === name && !isCopied(one));
  const installed = named(status?.installedCSV);
  const before = installed?.status?.phase === 'Pending' ? named(installed.spec.replaces) : installed;
  return RUNNING.has(before?.status?.phase ?? '') ? before?.metadata.name : undefined;
}

const RUNNING: ReadonlySet<string> = new Set(['Succeeded', 'Replacing']);

function groups({ metadata }: Subscription, { operatorGroups }: Surroundings): Diagnosis | undefined {
  return diagnoseGroups(metadata.namespace ?? '', operatorGroups);
}

/**
 * With an OperatorGroup that excludes the global catalogs, those neither block the namespace nor serve it.
 */
function targetedCatalog({ metadata, spec }: Subscription, around: Surroundings): Diagnosis | undefined {
  const { namespace } = metadata;
  const excluding = around.operatorGroups.find(excludesGlobal);
  const isSeen = (one: CatalogSource) => excluding === undefined || one.metadata.namespace === namespace;
  const catalogSources = around.catalogSources.filter(isSeen);
  const name = `${spec.sourceNamespace}/${spec.source}`;
  const source = catalogSources.find(
    ({ metadata }) => metadata.name === spec.source && metadata.namespace === spec.sourceNamespace,
  );
  if (source === undefined && excluding !== undefined && spec.sourceNamespace !== namespace) {
    const group = excluding.metadata.name ?? '';
    const seen = `Its CatalogSource ${name} is not visible: OperatorGroup ${group} excludes catalogs of other namespaces by annotation ${EXCLUDE_GLOBAL}.`;
    return diagnosis('catalog-excluded', 'blocked', seen, ADVICE.seeGlobalCatalogs(namespace ?? '', group));
  }
  const isHidden = around.hiddenCatalogs?.includes(spec.sourceNamespace) ?? false;
  if (source === undefined && !isHidden) {
    const seen = `Its CatalogSource ${name} does not exist or is not visible to it.`;
    return diagnosis('catalog-missing', 'blocked', seen, ADVICE.createCatalogSource(name));
  }
  const own = source === undefined ? [] : [source];
  const broken = [...own, ...catalogSources.filter((one) => one !== source)].filter((one) => !isHealthy(one));
  const [first, ...others] = broken.map((one) => {
    const which = `CatalogSource ${one.metadata.namespace ?? ''}/${one.metadata.name ?? ''}`;
    const seen = `${which} is not ready. All catalogs that are visible to the namespace must be ready.`;
    return causedBy(seen, one, diagnoseCatalogSource(one));
  });
  if (first === undefined) return undefined;
  const causes = [first, ...others];
  const needsUser = causes.some(({ standing }) => standing === 'failed');
  return {
    ...first,
    standing: needsUser ? 'blocked' : 'under-way',
    because: causes.flatMap(({ because }) => because),
    todo: [...new Set(causes.flatMap(({ todo }) => todo))],
  };
}

const referencedPlan = ({ status }: Subscription, { installPlans }: Surroundings): InstallPlan | undefined =>
  installPlans.find(({ metadata }) => metadata.name === status?.installPlanRef?.name);

function failedPlan(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const found = referencedPlan(subscription, around);
  if (found?.status?.phase !== 'Failed') return undefined;
  const cause = diagnoseInstallPlan(found, around.operatorGroups);
  // Its own first sentence says that it failed, too.
  const because = cause.because.slice(1);
  return causedBy(`Its InstallPlan ${found.metadata.name} failed.`, found, { ...cause, because });
}

const conditionOf = ({ status }: Subscription, type: SubscriptionConditionType) =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

/** Matches an image in a message: `image REFERENCE: …` or `image REFERENCE is …`. */
const IMAGE = /\bimage (\S+?)[:)]*(?:\s|$)/;

/**
 * Returns the image that a message names. A long message has a shortened reference, and no command accepts
 * that.
 */
function imageIn(message: string): string {
  const [, image = 'IMAGE'] = IMAGE.exec(message) ?? [];
  return image.includes('…') ? 'IMAGE' : image;
}

function unpacking(subscription: Subscription): Diagnosis | undefined {
  const failed = conditionOf(subscription, 'BundleUnpackFailed');
  if (failed === undefined) return undefined;
  if (isNotAdmitted(failed.message ?? '')) return notAdmitted(failed.message ?? '');
  if (failed.reason === 'EnsureInstallPlanFailed') return withoutPlan(failed.message ?? '');
  if (failed.reason === 'ErrorPreventedUnpacking' || BUNDLE_AT_FAULT.test(failed.message ?? '')) {
    return unusableBundle(failed.message ?? '');
  }
  return diagnosis(
    'bundle-not-fetched',
    'failed',
    ['The chosen bundle could not be fetched.', sentence(failed.message ?? '')],
    pullAdvice(failed.message ?? '') ?? ADVICE.validateBundleImage(imageIn(failed.message ?? '')),
  );
}

function notAdmitted(message: string): Diagnosis {
  const because = ['The signature policy of the hub refuses the chosen bundle.', sentence(message)];
  return diagnosis('bundle-not-admitted', 'failed', because, pullAdvice(message) ?? []);
}

/** Matches failures of the bundle's own content. The catalog must offer another bundle. */
const BUNDLE_AT_FAULT = /^Bundle unpacking failed - (?:bundle |image \S+: manifests\/)/;

function unusableBundle(message: string): Diagnosis {
  const image = imageIn(message);
  return diagnosis(
    'bundle-unusable',
    'failed',
    [
      'The chosen bundle cannot be installed.',
      sentence(message),
      'The publisher must correct the bundle. Another channel or startingCSV in the Subscription may lead to a valid bundle.',
    ],
    image === 'IMAGE' ? [] : ADVICE.validateBundleImage(image),
  );
}

/** The API server refuses the plan itself: the bundle is not at fault. */
function withoutPlan(message: string): Diagnosis {
  const silent = webhookAdvice(message);
  const because = ['Its InstallPlan could not be created.', sentence(message)];
  return diagnosis('objects-refused', 'failed', because, silent.length > 0 ? silent : ADVICE.correctRefusal());
}

/** Diagnoses a plan that was deleted before it was complete. The hub creates another plan. */
function lostPlan(subscription: Subscription, { csvs, installPlans }: Surroundings): Diagnosis | undefined {
  // Rows know no complete plans: the condition says that the plan is gone.
  if (conditionOf(subscription, 'InstallPlanMissing') === undefined) return undefined;
  const [lost] = lostPlans([subscription], { csvs, plans: installPlans });
  if (lost === undefined) return undefined;
  return diagnosis(
    'planning',
    'under-way',
    [
      `Its InstallPlan ${lost.plan} was deleted before all objects of ClusterServiceVersion ${csvName(lost.csv)} were created.`,
      'The hub rolls that version back and creates another plan.',
    ],
    ADVICE.checkHub(),
  );
}

/**
 * Diagnoses an upgrade that does not end. It stops its whole namespace, and the new version has the cause.
 */
function stoppedUpgrade(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  if (conditionOf(subscription, 'ResolutionFailed') === undefined) return undefined;
  const own = around.csvs.filter((csv) => !isCopied(csv));
  const found = own
    .filter(({ status }) => status?.phase === 'Replacing')
    .map((old) => ({ old, next: own.find(({ spec }) => spec.replaces === csvName(old)) }))
    .find(({ next }) => next !== undefined && next.status?.phase !== 'Succeeded');
  if (found?.next === undefined) return undefined;
  const { old, next } = found;
  const seen = `Its namespace is not resolved until the upgrade from ${csvName(old)} to ${csvName(next)} has ended.`;
  return causedBy(seen, next, diagnoseCsv(next, around));
}

/** Unread parts of a catalog are not offered, so a package or a version may be missing. */
function leftOutOf({ spec }: Subscription, { catalogSources }: Surroundings): readonly string[] {
  const source = catalogSources.find(
    ({ metadata }) => metadata.name === spec.source && metadata.namespace === spec.sourceNamespace,
  );
  if (source?.status?.reason !== BUNDLES_LEFT_OUT) return [];
  const name = `${spec.sourceNamespace}/${spec.source}`;
  return [sentence(`CatalogSource ${name} has unreadable bundles: ${source.status.message ?? ''}`)];
}

/** Returns the cause in plain words if the resolver's message has one, or else reason and message. */
function unresolvedTexts(namespace: string, { reason = '', message = '' }: SubscriptionCondition): readonly string[] {
  const plain = plainResolution(message);
  return plain === undefined
    ? [`Namespace ${namespace} cannot be resolved (${reason}).`, sentence(message)]
    : [`Namespace ${namespace} cannot be resolved: ${plain}`];
}

function resolution(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const failed = conditionOf(subscription, 'ResolutionFailed');
  if (failed === undefined) return undefined;
  const { name = '', namespace = '' } = subscription.metadata;
  return diagnosis(
    'resolution-failed',
    'failed',
    [...unresolvedTexts(namespace, failed), ...leftOutOf(subscription, around)],
    ADVICE.explainSubscription(namespace, name),
  );
}

function plan(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const found = referencedPlan(subscription, around);
  if (found === undefined || found.status?.phase === 'Complete') return undefined;
  return causedBy(
    `It has InstallPlan ${found.metadata.name}.`,
    found,
    diagnoseInstallPlan(found, around.operatorGroups, around.subscriptions ?? [subscription]),
  );
}

function operator(subscription: Subscription, around: Surroundings): Diagnosis | undefined {
  const { status } = subscription;
  const name = status?.currentCSV || status?.installedCSV;
  if (!name) return undefined;
  const csv = around.csvs.find(({ metadata }) => metadata.name === name);
  if (csv === undefined) return withoutOperator(subscription, name, around);
  if (isCopied(csv)) return besideCopy(subscription, csv, around);
  const found = diagnoseCsv(csv, around);
  return found.standing === 'well'
    ? undefined
    : causedBy(`ClusterServiceVersion ${name} has not succeeded.`, csv, found);
}

/**
 * Diagnoses a Subscription without its CSV. The CSV was deleted, or was a copy and its original is gone. A
 * complete plan can be retried; without one no CSV is installed.
 */
function withoutOperator(subscription: Subscription, name: string, around: Surroundings): Diagnosis {
  const done = referencedPlan(subscription, around);
  const todo =
    done === undefined
      ? ADVICE.subscribeAnew()
      : ADVICE.installAgain(done.metadata.namespace ?? '', done.metadata.name ?? '');
  return diagnosis('operator-missing', 'blocked', `ClusterServiceVersion ${name} does not exist.`, todo);
}

function besideCopy(subscription: Subscription, copy: ClusterServiceVersion, around: Surroundings): Diagnosis {
  const { name = '', namespace = '' } = subscription.metadata;
  const original = originalNamespace(copy);
  const group = around.operatorGroups[0]?.metadata.name ?? '';
  const done = referencedPlan(subscription, around);
  return diagnosis(
    'copy-in-the-way',
    'blocked',
    [
      `ClusterServiceVersion ${copy.metadata.name ?? ''} here is a copy from namespace ${original}; this Subscription installs nothing.`,
      `The operator runs in namespace ${original}. The OperatorGroup of that namespace also selects this one.`,
    ],
    [
      ADVICE.dropSubscription(namespace, name),
      ADVICE.replaceCopies(namespace, group),
      done === undefined ? ADVICE.subscribeAfterCopy() : ADVICE.replanOverCopy(namespace, done.metadata.name ?? ''),
      ADVICE.narrowOriginalGroup(original),
    ],
  );
}
