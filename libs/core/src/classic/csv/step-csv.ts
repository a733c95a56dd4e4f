import type { Action } from '../../kernel/actions/action.js';
import {
  type ClusterServiceVersion,
  CSV_CLEANUP_FINALIZER,
  type CsvStatus,
  type RequirementStatus,
} from '../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../kernel/api/csv-facts.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import { isGlobal, memberAnnotations, targetsOf } from '../operator-group/group-facts.js';
import { deleteCsv, patchFinalizers } from './delete-csv.js';
import { healthProblem } from './install/install-components.js';
import { lastRefusal } from './install/install-pace.js';
import { installHash, rememberInstall } from './install/refused-install.js';
import { FORBIDDEN_REASON, refusedRights, rememberRights, rightsOfInstall } from './install/refused-rights.js';
import { GROUP_RULES } from './phases/group-rules.js';
import { type CsvSubject, type Outcome, STAY, waitFor } from './phases/outcome.js';
import { PHASE_TABLE } from './phases/phase-table.js';
import { liftRbac } from './rbac/lift-rbac.js';
import { type Requirements, requirementsOf } from './requirements/requirements.js';
import type { ComponentProblem } from './world/component-problem.js';
import { type PhaseVerdict, phaseEvent, withPhase } from './world/csv-status.js';
import type { CsvStep, CsvWorld } from './world/csv-world.js';

const NOTHING: CsvStep = { actions: [], afterwards: [] };
const INSTALL_RETRY_MS = 5_000;

/**
 * Runs one pass over one ClusterServiceVersion: at most one transition (csv-lifecycle.md §1–§3, §9). While
 * `next` is `now` the shell loops: it reads again and writes each status, so that the history shows every
 * phase as OLM's does. Copies of CSVs of other namespaces are left alone.
 */
export function stepCsv(csv: ClusterServiceVersion, world: CsvWorld): CsvStep {
  if (isCopied(csv)) return NOTHING;
  if (csv.metadata.deletionTimestamp !== undefined) return deleteCsv(csv, world);
  const finalizers = csv.metadata.finalizers ?? [];
  if (!finalizers.includes(CSV_CLEANUP_FINALIZER)) {
    return {
      ...NOTHING,
      actions: [patchFinalizers(csv, [...finalizers, CSV_CLEANUP_FINALIZER])],
      next: { again: 'now' },
    };
  }
  const subject = subjectOf(csv, world);
  return stepOf(subject, decide(subject));
}

function subjectOf(csv: ClusterServiceVersion, world: CsvWorld): CsvSubject {
  let known: Requirements | undefined;
  const requirements = () => {
    known ??= requirementsOf(csv, world);
    return known;
  };
  let problem: Readonly<{ found: ComponentProblem | undefined }> | undefined;
  const firstProblem = () => {
    problem ??= { found: healthProblem(csv, world) };
    return problem.found;
  };
  const [group] = world.operatorGroups;
  const only = world.operatorGroups.length === 1 ? group : undefined;
  return { csv, world, group: only, requirements, problem: firstProblem };
}

function decide(subject: CsvSubject): Outcome {
  const phase = subject.csv.status?.phase ?? '';
  const rows = PHASE_TABLE.filter((row) => row.phase === phase).map(({ rule }) => rule);
  for (const rule of [...GROUP_RULES, ...rows]) {
    const outcome = rule(subject);
    if (outcome !== undefined) return outcome;
  }
  return STAY;
}

function stepOf(subject: CsvSubject, outcome: Outcome): CsvStep {
  const { csv, world } = subject;
  const { verdict, actions = [], installing, next } = outcome;
  const written = verdict === undefined ? NOTHING : writtenFor(csv, verdict, world.now, outcome);
  return {
    ...written,
    actions,
    afterwards: [
      ...written.afterwards,
      ...clusterWideRbac(subject),
      ...rightsToRemember(subject, outcome),
      ...(verdict?.phase === 'Succeeded' ? rememberInstall(csv, undefined) : []),
    ],
    ...(next === undefined ? {} : { next }),
    ...(installing
      ? { installing, underRights: rightsOfInstall(csv, world), installHash: installHash(csv, world) }
      : {}),
  };
}

/**
 * Records the rights of a CSV with a forbidden install, and removes the record once the CSV moves on. If a
 * hub did not record them yet, or was stopped before it could, the present rights are recorded.
 */
function rightsToRemember({ csv, world }: CsvSubject, { verdict }: Outcome): readonly Action[] {
  const known = refusedRights(csv);
  const isForbidden = (verdict?.reason ?? csv.status?.reason) === FORBIDDEN_REASON;
  if (isForbidden) return known === undefined ? [rememberRights(csv, rightsOfInstall(csv, world))] : [];
  return known === undefined || verdict === undefined ? [] : [rememberRights(csv, undefined)];
}

/**
 * Writes the status and Event of a verdict. If phase, reason and message are unchanged, emits no Event and
 * writes the status only if the requirements differ.
 */
function writtenFor(
  csv: ClusterServiceVersion,
  verdict: PhaseVerdict,
  now: Date,
  { requirementStatus: entries, certificates }: Outcome = {},
): CsvStep {
  const requirementStatus = entries?.map(clipped);
  const moved = withPhase(csv.status, verdict, now);
  if (moved === csv.status) {
    const known = csv.status?.requirementStatus ?? [];
    const stale = requirementStatus !== undefined && !sameJson(known, requirementStatus);
    return stale ? { ...NOTHING, status: withRequirements(moved, requirementStatus) } : NOTHING;
  }
  const next = withCertificates(moved, certificates);
  const status = requirementStatus === undefined ? next : withRequirements(next, requirementStatus);
  return { ...NOTHING, status, afterwards: [phaseEvent(csv, verdict)] };
}

/** Names and rules of a bundle appear in these messages. */
const clipped = (entry: RequirementStatus): RequirementStatus => ({
  ...entry,
  message: clipMessage(entry.message),
  ...(entry.dependents && {
    dependents: entry.dependents.map((one) => (one.message ? { ...one, message: clipMessage(one.message) } : one)),
  }),
});

function withRequirements(
  { requirementStatus: _old, ...rest }: CsvStatus,
  entries: NonNullable<Outcome['requirementStatus']>,
): CsvStatus {
  return entries.length === 0 ? rest : { ...rest, requirementStatus: [...entries] };
}

const withCertificates = (status: CsvStatus, times: Outcome['certificates']): CsvStatus =>
  times === undefined
    ? status
    : {
        ...status,
        ...(times.lastUpdated === undefined ? {} : { certsLastUpdated: kubernetesTime(times.lastUpdated) }),
        certsRotateAt: kubernetesTime(times.rotateAt),
      };

/** Members of a global group get their Roles lifted to the cluster, whatever their phase (§1.4, §6). */
function clusterWideRbac({ csv, world, group }: CsvSubject): readonly Action[] {
  if (group === undefined || !isGlobal(targetsOf(group))) return [];
  const annotations = csv.metadata.annotations ?? {};
  const isMember = Object.entries(memberAnnotations(group)).every(([key, value]) => annotations[key] === value);
  return isMember ? liftRbac(csv, world) : [];
}

/** Refusal of a write. `reason` is Kubernetes' own word, such as Conflict. */
type InstallFailure = Readonly<{
  forbidden: boolean;
  message: string;
  reason?: string;
  /** The write that was refused. */
  action: Action;
  /** The rights that the install had. */
  underRights?: string | undefined;
  /** The install that was tried. */
  installHash?: string | undefined;
}>;

/**
 * Reasons that concern the whole API server rather than the operator: the install is retried (spec:
 * csv-lifecycle.md §5).
 */
const PASSING: ReadonlySet<string> = new Set(['Conflict', 'ServerTimeout', 'ServiceUnavailable', 'TooManyRequests']);

/** Reasons that may pass within seconds. A lasting one is reported: most often a webhook does not answer. */
const PERHAPS_PASSING: ReadonlySet<string> = new Set(['InternalError', 'Timeout']);

/** Kinds written with and after the Deployments. Certificates, and the rights to read them, come before. */
const WITH_DEPLOYMENTS: ReadonlySet<string> = new Set([
  'Deployment',
  'APIService',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'CustomResourceDefinition',
]);

function createsDeployments(action: Action): boolean {
  if ('object' in action) return WITH_DEPLOYMENTS.has(action.object.kind);
  return action.do === 'patch' && WITH_DEPLOYMENTS.has(action.ref.kind);
}

/**
 * True if no install of this CSV was refused since its last success, and this one began before the first
 * retry.
 */
function isFirstTry({ status }: ClusterServiceVersion, now: Date): boolean {
  const since = Date.parse(status?.lastTransitionTime ?? '') || 0;
  return lastRefusal(status) === undefined && now.getTime() - since < INSTALL_RETRY_MS;
}

/**
 * Returns the verdict after an action of an `installing` step failed. Forbidden while Deployments are created
 * freezes the CSV until its rights or its group change. Any other failure is retried (spec: csv-lifecycle.md
 * §3, InstallReady).
 */
export function installFailed(csv: ClusterServiceVersion, failure: InstallFailure, now: Date): CsvStep {
  const { forbidden, message, reason: kubernetesReason, action, underRights, installHash: tried } = failure;
  const retry = waitFor('the installation is retried', INSTALL_RETRY_MS);
  if (kubernetesReason !== undefined && PASSING.has(kubernetesReason)) return { ...NOTHING, next: retry };
  const mayPass = kubernetesReason !== undefined && PERHAPS_PASSING.has(kubernetesReason);
  if (mayPass && isFirstTry(csv, now)) return { ...NOTHING, next: retry };
  const noRetry = forbidden && createsDeployments(action);
  // OLM's own error for a refused Deployment repeats the prefix; so does this one, to read the same.
  const [reason, text] = noRetry
    ? [FORBIDDEN_REASON, `install strategy failed: ${message}`]
    : ['InstallComponentFailed', message];
  const written = writtenFor(csv, { phase: 'Failed', reason, message: `install strategy failed: ${text}` }, now);
  if (!noRetry) {
    const remembered = tried === undefined ? [] : rememberInstall(csv, tried);
    return { ...written, afterwards: [...written.afterwards, ...remembered], next: retry };
  }
  return underRights === undefined
    ? written
    : { ...written, afterwards: [...written.afterwards, rememberRights(csv, underRights)] };
}
