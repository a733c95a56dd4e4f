import { z } from 'zod';
import { lastRefusal } from '../../classic/csv/install/install-pace.js';
import { CRD_ABSENT } from '../../classic/csv/requirements/crd-requirements.js';
import type { ClusterServiceVersion, RequirementStatus } from '../../kernel/api/cluster-service-version.js';
import { isCopied, originalNamespace, ownedCrds, strategyDeployments } from '../../kernel/api/csv-facts.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import type { CauseCode } from './cause-codes.js';
import { allButOldest, diagnoseGroups } from './diagnose-groups.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { causedBy, type Diagnosis, diagnosis, sentence } from './diagnosis.js';
import { webhookAdvice } from './stopped-by-webhook.js';

const MET: ReadonlySet<string> = new Set(['Present', 'DeploymentFound']);

/** Objects in the namespace of a ClusterServiceVersion. */
type CsvSurroundings = Readonly<{
  installPlans: readonly InstallPlan[];
  operatorGroups: readonly OperatorGroup[];
  /** All ClusterServiceVersions of the namespace, if they were read. */
  csvs?: readonly ClusterServiceVersion[];
}>;

/**
 * Diagnoses the phase of a ClusterServiceVersion and the cause that keeps it there (spec: csv-lifecycle.md §3
 * and §4).
 */
export function diagnoseCsv(csv: ClusterServiceVersion, around: CsvSurroundings): Diagnosis {
  const { phase = '', reason = '', message = '' } = csv.status ?? {};
  if (isCopied(csv)) return copied(csv, phase);
  const said = message === '' ? [] : [sentence(message)];
  switch (phase) {
    case 'Succeeded':
      return diagnosis('well', 'well', 'It is installed and its operator runs.');
    case 'Failed':
      return failed(csv, reason, said, around);
    case 'Pending':
      return heldBack(csv, reason, said) ?? unfinishedPlan(csv, around) ?? pending(csv, said, around);
    case 'InstallReady':
      return refusedBefore(csv, around) ?? installing(csv, said);
    case 'Installing':
      return installing(csv, said);
    case 'Replacing':
    case 'Deleting':
      return diagnosis(
        'operator-replaced',
        'under-way',
        'A newer version replaces it. It is removed once that version has succeeded.',
      );
    default:
      return diagnosis('not-read-yet', 'under-way', 'The hub has not read it yet.', ADVICE.checkHub());
  }
}

const installing = (csv: ClusterServiceVersion, said: readonly string[]): Diagnosis =>
  diagnosis(
    'operator-installing',
    'under-way',
    [`It is being installed (${csv.status?.phase ?? ''}).`, ...said],
    watchPods(csv),
  );

/** Between two tries of an install that was refused: a webhook that hangs keeps the CSV there for seconds. */
function refusedBefore(csv: ClusterServiceVersion, around: CsvSurroundings): Diagnosis | undefined {
  const { message } = lastRefusal(csv.status) ?? {};
  if (message === undefined) return undefined;
  const because = ['Its installation was refused and is being retried.', sentence(message)];
  return diagnosis(
    'objects-refused',
    'failed',
    because,
    refused({ ...csv, status: { ...csv.status, message } }, around),
  );
}

/** The status of a copy is that of its original, with a reason of its own. */
function copied(csv: ClusterServiceVersion, phase: string): Diagnosis {
  const [name, namespace] = [csv.metadata.name ?? '', originalNamespace(csv)];
  const seen = `It is a copy of ClusterServiceVersion ${namespace}/${name}: the operator runs in namespace ${namespace} and watches this namespace.`;
  if (phase === 'Succeeded') return diagnosis('well', 'well', seen);
  const there = `Its original is ${phase === '' ? 'without a phase' : `in phase ${phase}`}.`;
  return diagnosis('copy-of-unfinished', 'under-way', [seen, there], ADVICE.explainOriginal(namespace, name));
}

/** Held back by the OperatorCondition of the CSV that it replaces. */
function heldBack(csv: ClusterServiceVersion, reason: string, said: readonly string[]): Diagnosis | undefined {
  const predecessor = csv.spec.replaces;
  if (reason !== 'OperatorConditionNotUpgradeable' || typeof predecessor !== 'string') return undefined;
  const seen = `It is pending: OperatorCondition ${predecessor} does not allow the upgrade.`;
  return diagnosis(
    'upgrade-held-back',
    'blocked',
    [seen, ...said],
    ADVICE.allowUpgrade(csv.metadata.namespace ?? '', predecessor),
  );
}

/** Returns the plan that creates this CSV. If there are several, returns the newest. */
function planOf({ metadata }: ClusterServiceVersion, { installPlans }: CsvSurroundings): InstallPlan | undefined {
  return installPlans
    .filter(({ spec }) => spec.clusterServiceVersionNames.includes(metadata.name ?? ''))
    .toSorted((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0))[0];
}

/**
 * Diagnoses the plan that may still deliver a missing requirement. If the plan is stopped, its cause is the
 * cause.
 */
function unfinishedPlan(csv: ClusterServiceVersion, around: CsvSurroundings): Diagnosis | undefined {
  const plan = planOf(csv, around);
  if (plan === undefined || !['Failed', 'Installing'].includes(plan.status?.phase ?? '')) return undefined;
  const cause = diagnoseInstallPlan(plan, around.operatorGroups);
  return causedBy(`It is pending: its InstallPlan ${plan.metadata.name ?? ''} is not complete.`, plan, cause);
}

function pending(csv: ClusterServiceVersion, said: readonly string[], around: CsvSurroundings): Diagnosis {
  const unmet = unmetOf(csv);
  if (unmet.length === 0)
    return diagnosis('requirements-unknown', 'under-way', [
      'It is pending: its requirements are being checked.',
      ...said,
    ]);
  const seen = `It is pending: ${unmet.length === 1 ? 'a requirement is' : `${unmet.length} requirements are`} not met.`;
  return diagnosis(
    'requirements-not-met',
    'blocked',
    [seen, ...unmet.flatMap(requirementTexts)],
    requirementTodos(csv, unmet, around),
  );
}

function requirementTexts({ kind, name, status, message, dependents = [] }: RequirementStatus): string[] {
  const head = sentence(`${kind} ${name}: ${status}${message === '' ? '' : `, ${message}`}`);
  const missing = dependents
    .filter((dependent) => !MET.has(dependent.status) && dependent.status !== 'Satisfied')
    .map((dependent) => sentence(`  ${dependent.kind}: ${dependent.message ?? dependent.status}`));
  return [head, ...missing];
}

type RequirementAdvice = (requirement: RequirementStatus) => readonly Advice[];

/** `again`: advice that has a complete plan install its objects again. Empty if there is no such plan. */
function requirementTodo(csv: ClusterServiceVersion, again: readonly Advice[]): RequirementAdvice {
  const { namespace = '' } = csv.metadata;
  const owned = new Set(ownedCrds(csv).map(({ name }) => name));
  const byKind: Readonly<Record<string, RequirementAdvice>> = {
    CustomResourceDefinition: ({ name, message }) => {
      if (message !== CRD_ABSENT) return [ADVICE.inspectCrd(name)];
      return owned.has(name) && again.length > 0 ? again : [ADVICE.installApi(name)];
    },
    APIService: ({ name, status }) =>
      status === DEPLOYMENT_MISSING ? [] : [ADVICE.installApi(name), ADVICE.inspectApiService(name)],
    ServiceAccount: ({ name, status, dependents = [] }) => {
      if (status === 'NotPresent') return again.length > 0 ? again : [ADVICE.createOperatorAccount(namespace, name)];
      // An account that belongs to another version lacks no rights that could be given.
      return [...again, ...(dependents.length > 0 ? [ADVICE.giveOperatorRights(name)] : [])];
    },
    ClusterServiceVersion: () => [ADVICE.upgradeKubernetes()],
  };
  return (requirement) =>
    Object.hasOwn(byKind, requirement.kind)
      ? (byKind[requirement.kind]?.(requirement) ?? [])
      : [ADVICE.serveNativeApi(requirement.kind, requirement.group)];
}

/** An APIService that the bundle owns names a Deployment that the bundle does not have. */
const DEPLOYMENT_MISSING = 'DeploymentNotFound';

/**
 * Returns advice for unmet requirements. Advises another version of the operator if the Kubernetes version is
 * too old or the bundle contradicts itself.
 */
function requirementTodos(
  csv: ClusterServiceVersion,
  unmet: readonly RequirementStatus[],
  around: CsvSurroundings,
): readonly Advice[] {
  const isBundleWrong = unmet.some(
    ({ kind, status }) => kind === 'ClusterServiceVersion' || status === DEPLOYMENT_MISSING,
  );
  const plan = planOf(csv, around);
  const { name = '', namespace = '' } = plan?.metadata ?? {};
  const again = plan?.status?.phase === 'Complete' ? [ADVICE.executeAgain(namespace, name)] : [];
  const each = unmet.flatMap(requirementTodo(csv, again));
  return [...new Set([...each, ...(isBundleWrong ? correctBundle(csv, around) : [])])];
}

/** Returns the other operator of the namespace that owns a CRD of this one. */
function rivalOf(csv: ClusterServiceVersion, { csvs = [] }: CsvSurroundings): string | undefined {
  const own = new Set(ownedCrds(csv).map(({ name }) => name));
  const isRival = (one: ClusterServiceVersion) =>
    one.metadata.name !== csv.metadata.name && !isCopied(one) && ownedCrds(one).some(({ name }) => own.has(name));
  return (
    csvs.find((one) => isRival(one) && one.status?.phase === 'Succeeded')?.metadata.name ??
    csvs.find(isRival)?.metadata.name
  );
}

type ReasonAdvice = (csv: ClusterServiceVersion, around: CsvSurroundings) => readonly Advice[];

const correctBundle: ReasonAdvice = (csv, around) => {
  const { name = '', namespace = '' } = csv.metadata;
  const plan = planOf(csv, around)?.metadata.name;
  return [
    ADVICE.replaceBundle(namespace, name),
    plan === undefined ? ADVICE.subscribeAfterCorrection() : ADVICE.replanBundle(namespace, plan),
  ];
};

const refused: ReasonAdvice = (csv, around) => {
  const silent = webhookAdvice(csv.status?.message ?? '');
  return silent.length > 0 ? silent : [ADVICE.correctRefusal(), ...correctBundle(csv, around)];
};

/** Keyed by the reason that OLM gives a failed CSV (spec: csv-lifecycle.md §3). */
const ADVICE_FOR: Readonly<Record<string, ReasonAdvice>> = {
  NoOperatorGroup: ({ metadata }) => [ADVICE.createGroup(metadata.namespace ?? '')],
  TooManyOperatorGroups: ({ metadata }, { operatorGroups }) => {
    const others = allButOldest(operatorGroups);
    return others.length === 0 ? [] : [ADVICE.keepOneGroup(metadata.namespace ?? '', others)];
  },
  NoTargetNamespaces: () => [ADVICE.changeTargets()],
  UnsupportedOperatorGroup: () => [ADVICE.changeTargets()],
  InterOperatorGroupOwnerConflict: () => [ADVICE.separateProviders()],
  CannotModifyStaticOperatorGroupProvidedAPIs: () => [ADVICE.addStaticApis()],
  OwnerConflict: (csv, around) => [ADVICE.removeRival(rivalOf(csv, around))],
  InvalidInstallModes: correctBundle,
  InvalidInstallStrategy: correctBundle,
  InvalidWebhookDescription: correctBundle,
  InstallComponentFailed: (csv, around) => refused(csv, around),
  InstallComponentFailedNoRetry: ({ metadata }, { operatorGroups: [group] }) =>
    group === undefined ? [] : [ADVICE.retryForbidden(metadata.namespace ?? '', group.metadata.name ?? '')],
  RequirementsNotMet: (csv, around) => requirementTodos(csv, unmetOf(csv), around),
  APIServiceResourceIssue: (csv) => [watchPods(csv)],
  ComponentUnhealthy: (csv) => [watchPods(csv)],
  InstallCheckFailed: (csv) => [watchPods(csv)],
};

function failed(
  csv: ClusterServiceVersion,
  reason: string,
  said: readonly string[],
  around: CsvSurroundings,
): Diagnosis {
  const advised = Object.hasOwn(ADVICE_FOR, reason) ? ADVICE_FOR[reason]?.(csv, around) : undefined;
  const seen = sentence(`It failed${reason === '' ? '' : ` (${reason})`}`);
  const unmet = reason === 'RequirementsNotMet' ? unmetOf(csv).flatMap(requirementTexts) : [];
  const found = diagnosis(codeOf(reason), 'failed', [seen, ...said, ...unmet], advised ?? watchPods(csv));
  const groups = GROUP_REASONS.has(reason)
    ? diagnoseGroups(csv.metadata.namespace ?? '', around.operatorGroups)
    : undefined;
  return groups?.root === undefined ? found : { ...found, root: groups.root };
}

/** OLM's reasons that a cause has a code of its own for; every other one is a failure of the operator. */
const CODES: Readonly<Record<string, CauseCode>> = {
  NoOperatorGroup: 'no-operator-group',
  TooManyOperatorGroups: 'several-operator-groups',
  UnsupportedOperatorGroup: 'install-mode-unsupported',
  InterOperatorGroupOwnerConflict: 'api-owned-by-other',
  OwnerConflict: 'api-owned-by-other',
  RequirementsNotMet: 'requirements-not-met',
  InstallComponentFailed: 'objects-refused',
  InstallComponentFailedNoRetry: 'objects-refused',
  ComponentUnhealthy: 'operator-unhealthy',
  APIServiceResourceIssue: 'operator-unhealthy',
  InstallCheckFailed: 'operator-unhealthy',
};

const codeOf = (reason: string): CauseCode =>
  (Object.hasOwn(CODES, reason) ? CODES[reason] : undefined) ?? 'operator-failed';

const GROUP_REASONS: ReadonlySet<string> = new Set(['NoOperatorGroup', 'TooManyOperatorGroups']);

const unmetOf = (csv: ClusterServiceVersion): readonly RequirementStatus[] =>
  (csv.status?.requirementStatus ?? []).filter(({ status }) => !MET.has(status));

/** Advises to check the Pods of the Deployments: the CSV waits for these, even if it has other problems. */
const watchPods = (csv: ClusterServiceVersion): Advice =>
  ADVICE.watchPods(csv.metadata.namespace ?? '', podLabels(csv));

const MatchLabels = z.object({
  selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
});

/**
 * Returns the labels that select the Pods of the CSV's only Deployment. Pods have no label of their
 * ClusterServiceVersion.
 */
function podLabels(csv: ClusterServiceVersion): string | undefined {
  const [only, ...others] = strategyDeployments(csv);
  const read = MatchLabels.safeParse(only?.spec);
  if (!read.success || others.length > 0) return undefined;
  return Object.entries(read.data.selector.matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
