import { csvName, isCopied, ownedCrds } from '../../../kernel/api/csv-facts.js';
import type { OperatorCondition } from '../../../kernel/api/operator-condition.js';
import { operatorNotUpgradeable } from '../../operator-condition/upgradeable.js';
import { isFailForward } from '../../operator-group/group-facts.js';
import { hasDeploymentOf, missingDeployment, outdatedDeployment } from '../deployments/check-deployments.js';
import { installActions, refusalOf } from '../install/install-components.js';
import { pauseAfterRefusal, pauseBeforeInstall } from '../install/install-pace.js';
import { isCorrected } from '../install/refused-install.js';
import { providedApiClusterRoles } from '../rbac/provided-api-cluster-roles.js';
import { strategyError, unknownStrategy } from '../requirements/requirements.js';
import { repairAdmissionWebhooks } from '../serving/admission-webhooks.js';
import { apiServiceIssues } from '../serving/api-service-issues.js';
import { ownsUnadoptable } from '../serving/api-services.js';
import { authorityLost } from '../serving/authority-lost.js';
import { repairServing } from '../serving/serving-objects.js';
import { webhookError } from '../serving/webhook-rules.js';
import { certificatesDue, certificatesUnreadable, certificateTimes } from '../world/certificates-of.js';
import type { ProblemKind } from '../world/component-problem.js';
import type { CsvPhase } from '../world/csv-status.js';
import type { Again } from '../world/csv-world.js';
import { mayBeDeleted, predecessorOf, predecessors, replacementOf, successors } from '../world/replacement-chain.js';
import { type Condition, type CsvSubject, type Rule, STAY, waitFor } from './outcome.js';

/** Conditions of the rows of the phase table, one each (spec: csv-lifecycle.md §3). */

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const REQUIREMENTS_RETRY_MS = 15_000;
const UNHEALTHY_RETRY_MS = 1_000;
/** No event announces when the API server is able to reach the service. */
const NOT_SERVED_RETRY_MS = 2_000;
const CERTIFICATES_RETRY_MS = 1_000;
const FOREIGN_OWNER_RETRY_MS = 60_000;
const NOW: Again = { again: 'now' };

/** Returns a condition that always holds: the CSV continues at once. */
export const always =
  (message: string): Condition =>
  () => ({ message, next: NOW });

export const predecessorNotUpgradeable: Condition = ({ csv, world }) => {
  const predecessor = predecessorOf(csv, world.csvs);
  if (predecessor === undefined) return undefined;
  const condition: OperatorCondition | undefined = world.operatorConditions.get(csvName(predecessor));
  const why = operatorNotUpgradeable(condition);
  return why === undefined ? undefined : { message: `operator is not upgradeable: ${why}` };
};

const invalid = (error: string | undefined) =>
  error === undefined ? undefined : { message: `install strategy invalid: ${error}` };

export const strategyUnknown: Condition = ({ csv }) => invalid(unknownStrategy(csv));
export const strategyInvalid: Condition = ({ csv }) => invalid(strategyError(csv));

/** Requirements unmet, in the words of the phase the CSV is in. */
export const requirementsLack =
  (message: string): Condition =>
  ({ requirements }) => {
    const { met, entries } = requirements();
    if (met) return undefined;
    const next = waitFor('requirements are not met', REQUIREMENTS_RETRY_MS);
    return { message, requirementStatus: entries, next };
  };

/** Wraps a condition that follows met requirements, so that the written status shows them. */
export const withRequirements =
  (condition: Condition): Condition =>
  (subject) => {
    const finding = condition(subject);
    return finding && { ...finding, requirementStatus: subject.requirements().entries };
  };

export const webhooksInvalid: Condition = ({ csv }) => {
  const error = webhookError(csv);
  return error === undefined ? undefined : { message: error };
};

/** A CRD of this CSV owned by another CSV of the namespace that is not in its replacement chain. */
export const crdOfAnother: Condition = ({ csv, world }) => {
  const chain = new Set([csv, ...predecessors(csv, world.csvs), ...successors(csv, world.csvs)].map(csvName));
  const names = new Set(ownedCrds(csv).map(({ name }) => name));
  const conflict = world.csvs
    .filter((other) => !isCopied(other) && !chain.has(csvName(other)))
    .some((other) => ownedCrds(other).some(({ name }) => names.has(name)));
  return conflict ? { message: 'conflicting CRD owner in namespace' } : undefined;
};

export const apiServiceOfAnother: Condition = ({ csv, world }) =>
  ownsUnadoptable(csv, world) ? { message: 'unable to adopt APIService' } : undefined;

export const predecessorNotYetReplacing: Rule = ({ csv, world }) => {
  const predecessor = predecessorOf(csv, world.csvs);
  return predecessor !== undefined && predecessor.status?.phase !== 'Replacing' ? STAY : undefined;
};

/** Installs the parts that can be installed. For the rest the operator fails until the cause is gone. */
export const installRefused: Condition = ({ csv, world }) => {
  const refused = refusalOf(csv, world);
  if (refused === undefined) return undefined;
  return {
    message: `install strategy failed: ${refused.message}`,
    actions: csv.status?.phase === 'InstallReady' ? installActions(csv, world) : [],
    installing: true,
  };
};

/**
 * Holds a CSV in Failed until the cause is gone. Once a CSV has failed for a CRD conflict, bad webhook rules
 * or an uninstallable conversion, OLM does not test for that again. It loops once or twice a second.
 */
export const still =
  (reason: string, condition: Condition): Condition =>
  (subject) =>
    subject.csv.status?.reason === reason ? condition(subject) : undefined;

export const apiServicesBroken: Condition = ({ csv, world }) => {
  const issues = apiServiceIssues(csv, world);
  return issues === undefined ? undefined : { message: issues, next: NOW };
};

/**
 * Waits: a reinstall would not change the owner. An APIService that a user made has no event, since it is not
 * watched.
 */
export const apiServiceUnadoptable: Rule = ({ csv, world }) =>
  ownsUnadoptable(csv, world)
    ? { next: waitFor('an APIService of another owner must be deleted first', FOREIGN_OWNER_RETRY_MS) }
    : undefined;

export const certificatesToRotate =
  (message: string): Condition =>
  ({ csv, world }) =>
    certificatesDue(csv, world) ? { message, next: NOW } : undefined;

/** Applies if the authority cannot be read: the content of the operator's Deployments depends on it. */
export const authorityUnreadable: Condition = ({ csv, world }) =>
  authorityLost(csv, world) ? { message: 'calculated deployment install is bad', next: NOW } : undefined;

/** Waits if an immediate reinstall would repeat without end. */
const pausing =
  (pause: (csv: CsvSubject['csv'], now: Date) => number, because: string): Rule =>
  ({ csv, world }) => {
    const afterMs = pause(csv, world.now);
    return afterMs === 0 ? undefined : { next: waitFor(because, afterMs) };
  };

export const installedTooOften = pausing(pauseBeforeInstall, 'the installed objects keep changing');
const pausedAfterRefusal = pausing(pauseAfterRefusal, 'the install was refused');
/** The pause ends once a user has corrected the CSV, or the `config` of its Subscription. */
export const refusedLately: Rule = (subject) =>
  isCorrected(subject.csv, subject.world) ? undefined : pausedAfterRefusal(subject);

/** Waits for certificates, which are made outside; {@link certificatesToIssue} names them. */
export const certificatesAwaited: Rule = ({ csv, world }) =>
  certificatesUnreadable(csv, world) ? { next: waitFor('certificates are awaited', CERTIFICATES_RETRY_MS) } : undefined;

export const install: Condition = ({ csv, world }) => ({
  message: 'waiting for install components to report healthy',
  certificates: certificateTimes(csv, world),
  actions: installActions(csv, world),
  installing: true,
  next: NOW,
});

/** Milliseconds since the phase was entered. */
function inPhaseFor({ csv, world }: CsvSubject): number {
  const since = csv.status?.lastTransitionTime;
  return since ? world.now.getTime() - Date.parse(since) : 0;
}

const NOT_SERVED: ReadonlySet<ProblemKind> = new Set(['apiServicesMissing', 'webhooksMissing']);

/** Returns the time of the next check after a failed check moved the CSV to `to`. */
function afterCheck(subject: CsvSubject, kind: ProblemKind, to: CsvPhase): Again {
  if (to === 'Failed') return waitFor('component unhealthy', UNHEALTHY_RETRY_MS);
  if (to !== 'Installing') return NOW;
  if (NOT_SERVED.has(kind)) return waitFor('no watch reports when it is served', NOT_SERVED_RETRY_MS);
  return waitFor('install timeout', Math.max(1_000, INSTALL_TIMEOUT_MS - inPhaseFor(subject)));
}

/** The check found a problem of this kind; `doing` comes before its message. The CSV goes to `to`. */
export const checkFound =
  (kind: ProblemKind, doing: string, to: CsvPhase): Condition =>
  (subject) => {
    const problem = subject.problem();
    if (problem?.kind !== kind) return undefined;
    const message = `${doing}${problem.message}`;
    return kind === 'unrecoverable' ? { message } : { message, next: afterCheck(subject, kind, to) };
  };

/** Applies while the pods behind the operator's APIs are being replaced. The operator has not failed then. */
export const backendDisrupted: Rule = (subject) => {
  const problem = subject.problem();
  return problem?.kind === 'backendDisrupted' ? { next: waitFor(problem.message, NOT_SERVED_RETRY_MS) } : undefined;
};

/**
 * An installed Deployment is gone, for example with a CSV that owned one of the same name: it is reinstalled.
 */
export const deploymentGone: Condition = ({ csv, world }) => {
  const name = missingDeployment(csv, world);
  return name === undefined ? undefined : { message: `installing: missing deployment with name=${name}`, next: NOW };
};

/**
 * A Deployment is there with another spec than the CSV and the `config` of its Subscription ask for now.
 * OLM sees that once the Deployment is ready, and never after its progress deadline: until the install
 * timeout it is in vain to correct a config that keeps Pods from being scheduled.
 */
export const deploymentOutdated: Condition = ({ csv, world }) => {
  const change = outdatedDeployment(csv, world);
  return change === undefined ? undefined : { message: `installing: ${change}`, next: NOW };
};

/**
 * A later CSV of the chain owns the Deployment that this one waits for, and will not give it back. The
 * successor exists already, so this one need not be installed first.
 */
export const overtaken: Condition = (subject) => {
  const { csv, world } = subject;
  const succeeded = successors(csv, world.csvs).filter(({ status }) => status?.phase === 'Succeeded');
  return hasDeploymentOf(csv, succeeded, world) ? beingReplaced(subject) : undefined;
};

const STAYS_INSTALLING: ReadonlySet<ProblemKind> = new Set([...NOT_SERVED, 'waiting', 'backendDisrupted']);

/** Applies if the check would let the CSV stay in Installing, and it has been there for five minutes. */
export const installTakesTooLong: Condition = (subject) => {
  const kind = subject.problem()?.kind;
  return kind !== undefined && STAYS_INSTALLING.has(kind) && inPhaseFor(subject) >= INSTALL_TIMEOUT_MS
    ? { message: 'install timeout' }
    : undefined;
};

export const checkOk: Condition = () => ({ message: 'install strategy completed with no errors', next: NOW });

export const beingReplaced: Condition = ({ csv, world }) => {
  const replacement = replacementOf(csv, world.csvs);
  return replacement && { message: `being replaced by csv: ${csvName(replacement)}` };
};

/**
 * Applies if healthy and not replaced: keeps the ClusterRoles of its APIs, and the objects through which the
 * API server calls it.
 */
export const healthy: Condition = ({ csv, world }) => ({
  message: 'install strategy completed with no errors',
  actions: [
    ...providedApiClusterRoles(csv, world),
    ...repairServing(csv, world),
    ...repairAdmissionWebhooks(csv, world),
  ],
});

export const replacedByFailForward: Condition = ({ csv, world, group }) => {
  if (group === undefined || !isFailForward(group)) return undefined;
  const replacement = replacementOf(csv, world.csvs);
  if (replacement === undefined) return undefined;
  return {
    message: `Fail Forward is enabled, allowing Failed csv to be replaced by csv: ${csvName(replacement)}`,
  };
};

/** The group checks run before the table, so a CSV that failed there for one of these reasons is repaired. */
export const groupRepaired =
  (reasons: readonly string[], message: string): Condition =>
  ({ csv }) =>
    reasons.includes(csv.status?.reason ?? '') ? { message, next: NOW } : undefined;

const failForward = ({ group }: CsvSubject): boolean => group !== undefined && isFailForward(group);

export const replacedForGood: Condition = (subject) =>
  mayBeDeleted(subject.csv, subject.world.csvs, failForward(subject))
    ? { message: 'has been replaced by a newer ClusterServiceVersion that has successfully installed.', next: NOW }
    : undefined;

/** Only the oldest of a chain is collected. */
export const notTheOldest: Rule = ({ csv, world }) => (predecessorOf(csv, world.csvs) === undefined ? undefined : STAY);

export const notYetReplaced: Rule = () => STAY;

/**
 * The phase alone decides that the CSV may be deleted: it was written once the CSV had been replaced for
 * good.
 */
export const deleteIt: Rule = ({ csv }) => ({
  actions: [
    {
      do: 'delete',
      ref: { apiVersion: csv.apiVersion, kind: csv.kind, name: csvName(csv), namespace: csv.metadata.namespace },
      propagation: 'Background',
      uid: csv.metadata.uid,
      resourceVersion: csv.metadata.resourceVersion,
    },
  ],
});
