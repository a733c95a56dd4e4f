import type { OperatorCondition } from '../api/operator-condition.js';
import { operatorNotUpgradeable } from '../operator-condition/upgradeable.js';
import { isFailForward } from '../operator-group/group-facts.js';
import { csvName, isCopied, ownedCrds } from './csv-facts.js';
import type { CsvPhase } from './csv-status.js';
import { healthProblem, installActions, refusalOf } from './install-components.js';
import { pauseAfterRefusal, pauseBeforeInstall } from './install-pace.js';
import { move, type Outcome, type Rule, STAY, type Subject, waitFor } from './outcome.js';
import { providedApiClusterRoles } from './provided-api-cluster-roles.js';
import { mayBeDeleted, predecessorOf, predecessors, replacementOf, successors } from './replacement-chain.js';
import { strategyError } from './requirements/requirements.js';
import { apiServiceResourceIssues, unadoptableApiService } from './serving/api-services.js';
import { certificatesDue, certificatesUnreadable, certificateTimes } from './serving/certificates-of.js';
import { webhookError } from './webhook-rules.js';

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const REQUIREMENTS_RETRY_MS = 15_000;
const UNHEALTHY_RETRY_MS = 1_000;
/** Nothing tells when the API server has reached what it calls. */
const NOT_SERVED_RETRY_MS = 2_000;
const CERTIFICATES_RETRY_MS = 1_000;

const firstLook: Rule = () => ({
  ...move('Pending', 'RequirementsUnknown', 'requirements not yet checked'),
  next: { again: 'now' },
});

const predecessorNotUpgradeable: Rule = ({ csv, world }) => {
  const predecessor = predecessorOf(csv, world.csvs);
  if (predecessor === undefined) return undefined;
  const condition: OperatorCondition | undefined = world.operatorConditions.get(csvName(predecessor));
  const why = operatorNotUpgradeable(condition);
  if (why === undefined) return undefined;
  return move('Pending', 'OperatorConditionNotUpgradeable', `operator is not upgradeable: ${why}`);
};

const invalidStrategy: Rule = ({ csv }) => {
  const error = strategyError(csv);
  return error === undefined
    ? undefined
    : move('Failed', 'InvalidInstallStrategy', `install strategy invalid: ${error}`);
};

/** Requirements unmet, in the words of the phase the CSV is in. */
const requirementsLack =
  (phase: CsvPhase, message: string): Rule =>
  ({ requirements }) => {
    const { met, entries } = requirements();
    if (met) return undefined;
    return {
      ...move(phase, 'RequirementsNotMet', message),
      requirementStatus: entries,
      next: waitFor('requirements are not met', REQUIREMENTS_RETRY_MS),
    };
  };

/** A rule that comes after the requirements were found met: what it writes shows them. */
const withRequirements =
  (rule: Rule): Rule =>
  (subject) => {
    const outcome = rule(subject);
    return outcome && { ...outcome, requirementStatus: subject.requirements().entries };
  };

const invalidWebhooks: Rule = ({ csv }) => {
  const error = webhookError(csv);
  return error === undefined ? undefined : move('Failed', 'InvalidWebhookDescription', error);
};

/** A CRD of this CSV owned by another CSV of the namespace that is not in its replacement chain. */
function crdConflict({ csv, world }: Subject): boolean {
  const chain = new Set([csv, ...predecessors(csv, world.csvs), ...successors(csv, world.csvs)].map(csvName));
  const names = new Set(ownedCrds(csv).map(({ name }) => name));
  return world.csvs
    .filter((other) => !isCopied(other) && !chain.has(csvName(other)))
    .some((other) => ownedCrds(other).some(({ name }) => names.has(name)));
}

const crdOwnedByAnother: Rule = (subject) =>
  crdConflict(subject) ? move('Failed', 'OwnerConflict', 'conflicting CRD owner in namespace') : undefined;

/** What can be installed is; the operator then fails for what cannot, and stays so while the cause stands. */
const installRefused: Rule = ({ csv, world }) => {
  const refused = refusalOf(csv, world);
  if (refused === undefined) return undefined;
  return {
    ...move('Failed', 'InstallComponentFailed', `install strategy failed: ${refused.message}`),
    actions: csv.status?.phase === 'InstallReady' ? installActions(csv, world) : [],
    installing: true,
  };
};

const apiServiceOfAnother: Rule = ({ csv, world }) =>
  unadoptableApiService(csv, world) === undefined
    ? undefined
    : move('Failed', 'OwnerConflict', 'unable to adopt APIService');

const apiServicesChanged =
  (phase: CsvPhase, reason: string): Rule =>
  ({ csv, world }) => {
    const issues = apiServiceResourceIssues(csv, world);
    return issues === undefined ? undefined : { ...move(phase, reason, issues), next: { again: 'now' } };
  };

/** Not where an APIService belongs to somebody else: installing again would not change that. */
const apiServicesToReinstall: Rule = (subject) =>
  unadoptableApiService(subject.csv, subject.world) === undefined
    ? apiServicesChanged('Pending', 'APIServiceResourcesNeedReinstall')(subject)
    : undefined;

const certificatesToRotate =
  (message: string): Rule =>
  ({ csv, world }) =>
    certificatesDue(csv, world)
      ? { ...move('Pending', 'NeedsCertRotation', message), next: { again: 'now' } }
      : undefined;

/** Without its certificate nobody can tell what the operator's Deployments should look like. */
const certificatesLost: Rule = ({ csv, world }) =>
  certificatesUnreadable(csv, world)
    ? { ...move('Pending', 'NeedsReinstall', 'calculated deployment install is bad'), next: { again: 'now' } }
    : undefined;

const predecessorNotYetReplacing: Rule = ({ csv, world }) => {
  const predecessor = predecessorOf(csv, world.csvs);
  return predecessor !== undefined && predecessor.status?.phase !== 'Replacing' ? STAY : undefined;
};

const allRequirementsMet: Rule = () => ({
  ...move('InstallReady', 'AllRequirementsMet', 'all requirements found, attempting install'),
  next: { again: 'now' },
});

/** Waits where installing again at once would go on without end. */
const pausing =
  (pause: (csv: Subject['csv'], now: Date) => number, because: string): Rule =>
  ({ csv, world }) => {
    const afterMs = pause(csv, world.now);
    return afterMs === 0 ? undefined : { next: waitFor(because, afterMs) };
  };

/** Certificates are made outside: {@link certificatesToIssue} says which. */
const certificatesAwaited: Rule = ({ csv, world }) =>
  certificatesUnreadable(csv, world) ? { next: waitFor('certificates are awaited', CERTIFICATES_RETRY_MS) } : undefined;

const install: Rule = ({ csv, world }) => ({
  ...move('Installing', 'InstallSucceeded', 'waiting for install components to report healthy'),
  certificates: certificateTimes(csv, world),
  actions: installActions(csv, world),
  installing: true,
  next: { again: 'now' },
});

/** Milliseconds since the phase was entered. */
function inPhaseFor({ csv, world }: Subject): number {
  const since = csv.status?.lastTransitionTime;
  return since ? world.now.getTime() - Date.parse(since) : 0;
}

const SAID_AS_IT_STANDS: ReadonlySet<string> = new Set(['notServed', 'webhookFailed']);

/** What an unhealthy component does to the CSV; `phase` and `reason` are for "not yet" (spec: csv-lifecycle.md §5). */
function unhealthy(subject: Subject, phase: CsvPhase, reason: string): Outcome | undefined {
  const problem = healthProblem(subject.csv, subject.world);
  if (problem === undefined) return undefined;
  if (problem.kind === 'unrecoverable') {
    return move('Failed', 'InstallCheckFailed', `install failed: ${problem.message}`);
  }
  const target = problem.kind === 'drifted' || problem.kind === 'webhookFailed' ? 'InstallReady' : phase;
  const message = SAID_AS_IT_STANDS.has(problem.kind) ? problem.message : `installing: ${problem.message}`;
  const outcome = move(target, reason, message);
  if (target === subject.csv.status?.phase) {
    return problem.kind === 'notServed' ? { ...outcome, next: waitFor(problem.message, NOT_SERVED_RETRY_MS) } : outcome;
  }
  return {
    ...outcome,
    next: target === 'Failed' ? waitFor('component unhealthy', UNHEALTHY_RETRY_MS) : { again: 'now' },
  };
}

/** Not healthy within five minutes of entering Installing; a drift found meanwhile counts first as one more try. */
const installTakesTooLong: Rule = (subject) => {
  const outcome = unhealthy(subject, 'Installing', 'InstallWaiting');
  const stays = outcome?.verdict?.phase === 'Installing';
  if (!stays || inPhaseFor(subject) < INSTALL_TIMEOUT_MS) return undefined;
  return move('Failed', 'InstallCheckFailed', 'install timeout');
};

const stillInstalling: Rule = (subject) => {
  const outcome = unhealthy(subject, 'Installing', 'InstallWaiting');
  if (outcome?.verdict?.phase !== 'Installing') return outcome;
  const untilTimeout = waitFor('install timeout', Math.max(1_000, INSTALL_TIMEOUT_MS - inPhaseFor(subject)));
  return { ...outcome, next: outcome.next ?? untilTimeout };
};

const unhealthyComponent: Rule = (subject) => unhealthy(subject, 'Failed', 'ComponentUnhealthy');
const needsReinstall: Rule = (subject) => unhealthy(subject, 'Pending', 'NeedsReinstall');

const installed: Rule = ({ csv }) => ({
  ...move('Succeeded', 'InstallSucceeded', 'install strategy completed with no errors'),
  ...(csv.status?.phase === 'Succeeded' ? {} : { next: { again: 'now' } as const }),
});

const beingReplaced: Rule = ({ csv, world }) => {
  const replacement = replacementOf(csv, world.csvs);
  return replacement === undefined
    ? undefined
    : move('Replacing', 'BeingReplaced', `being replaced by csv: ${csvName(replacement)}`);
};

/** Healthy and unreplaced: the ClusterRoles for its APIs are kept in place. */
const healthy: Rule = ({ csv, world }) => ({ actions: providedApiClusterRoles(csv, world) });

const replacedByFailForward: Rule = ({ csv, world, group }) => {
  if (group === undefined || !isFailForward(group)) return undefined;
  const replacement = replacementOf(csv, world.csvs);
  if (replacement === undefined) return undefined;
  const message = `Fail Forward is enabled, allowing Failed csv to be replaced by csv: ${csvName(replacement)}`;
  return move('Replacing', 'BeingReplaced', message);
};

/** The group checks passed before the table was asked, so what failed there is repaired. */
const groupRepaired: Rule = ({ csv }) => {
  const message = REPAIRED.get(csv.status?.reason ?? '');
  if (message === undefined) return undefined;
  return { ...move('Pending', 'RequirementsUnknown', message), next: { again: 'now' } };
};
const REPAIRED: ReadonlyMap<string, string> = new Map([
  ['NoTargetNamespaces', 'InstallModes now support target namespaces'],
  ['NoOperatorGroup', 'InstallModes now support target namespaces'],
  ['TooManyOperatorGroups', 'InstallModes now support target namespaces'],
  ['UnsupportedOperatorGroup', 'InstallModes now support target namespaces'],
  ['InterOperatorGroupOwnerConflict', 'OperatorGroup no longer intersecting with conflicting owner'],
  [
    'CannotModifyStaticOperatorGroupProvidedAPIs',
    'static OperatorGroup and intersecting groups now support providedAPIs',
  ],
]);

/**
 * OLM tests neither an owner conflict, nor bad webhook rules, nor a bad strategy, nor a conversion that it cannot install
 * again once a CSV has failed for it, and so turns in circles, once or twice a second. Here the CSV stays Failed until the cause is gone.
 */
const causeStands: Rule = (subject) => {
  const standing = [invalidStrategy, invalidWebhooks, crdOwnedByAnother, apiServiceOfAnother, installRefused]
    .map((rule) => rule(subject))
    .find((outcome) => outcome !== undefined);
  return standing?.verdict?.reason === subject.csv.status?.reason ? standing : undefined;
};

const replacedForGood: Rule = ({ csv, world, group }) =>
  mayBeDeleted(csv, world.csvs, group !== undefined && isFailForward(group))
    ? {
        ...move(
          'Deleting',
          'Replaced',
          'has been replaced by a newer ClusterServiceVersion that has successfully installed.',
        ),
        next: { again: 'now' },
      }
    : STAY;

const deleteIt: Rule = ({ csv }) => ({
  actions: [
    {
      do: 'delete',
      ref: { apiVersion: csv.apiVersion, kind: csv.kind, name: csvName(csv), namespace: csv.metadata.namespace },
      propagation: 'Background',
      uid: csv.metadata.uid,
    },
  ],
});

/** One line: in this phase, when the rule answers, its answer counts. */
export type PhaseRow = Readonly<{ phase: CsvPhase; rule: Rule }>;

const row = (phase: CsvPhase, ...rules: readonly Rule[]): readonly PhaseRow[] => rules.map((rule) => ({ phase, rule }));

/** The phase machine (spec: csv-lifecycle.md §3): the first row of the CSV's phase whose rule answers decides. */
export const PHASE_TABLE: readonly PhaseRow[] = [
  ...row('', firstLook),
  ...row(
    'Pending',
    predecessorNotUpgradeable,
    invalidStrategy,
    requirementsLack('Pending', "one or more requirements couldn't be found"),
    ...[invalidWebhooks, crdOwnedByAnother, apiServiceOfAnother, predecessorNotYetReplacing, allRequirementsMet].map(
      withRequirements,
    ),
  ),
  ...row(
    'InstallReady',
    invalidStrategy,
    pausing(pauseBeforeInstall, 'what is installed does not stay as it is'),
    certificatesAwaited,
    installRefused,
    install,
  ),
  ...row('Installing', certificatesLost, installTakesTooLong, stillInstalling, installed),
  ...row(
    'Succeeded',
    beingReplaced,
    apiServicesChanged('Failed', 'APIServiceResourceIssue'),
    certificatesToRotate('CSV owns resources that require a cert refresh'),
    invalidStrategy,
    requirementsLack('Failed', 'requirements no longer met'),
    certificatesLost,
    unhealthyComponent,
    healthy,
  ),
  ...row(
    'Failed',
    replacedByFailForward,
    groupRepaired,
    causeStands,
    requirementsLack('Pending', 'requirements not met'),
    pausing(pauseAfterRefusal, 'the install was refused'),
    apiServicesToReinstall,
    certificatesToRotate('owned APIServices need cert refresh'),
    certificatesLost,
    needsReinstall,
    installed,
  ),
  ...row('Replacing', replacedForGood),
  ...row('Deleting', deleteIt),
];
