import type { ClusterObjectSet } from '../api/cluster-object-set.js';
import { type ExtensionCondition, extensionCondition } from '../extension/extension-condition.js';
import { BUNDLE_VERSION_KEY } from './revision-keys.js';
import { annotationOf, hasSucceeded } from './revision-states.js';

/** How far a revision has come in one pass. */
export type RolloutState =
  | Readonly<{ state: 'complete' }>
  /** `failures`: of each incomplete phase, the first object that is not ready and why. */
  | Readonly<{ state: 'waiting'; failures: readonly string[] }>
  /** Something stands in the way that may go by itself. */
  | Readonly<{ state: 'retrying'; error: string }>
  | Readonly<{ state: 'blocked'; error: string }>
  | Readonly<{ state: 'archived' }>
  /** Archived, but objects of it are still there. */
  | Readonly<{ state: 'archiving' }>;

const MINUTE_MS = 60_000;

/** The conditions of a revision, sorted by type (spec: v1-apply.md, "Revision reconcile"). */
export function revisionConditions(revision: ClusterObjectSet, rollout: RolloutState, now: Date): ExtensionCondition[] {
  const version = annotationOf(revision, BUNDLE_VERSION_KEY) ?? '';
  const conditions = [availability(version, rollout), progress(revision, version, rollout, now)];
  if (rollout.state === 'complete' || hasSucceeded(revision)) {
    conditions.push(extensionCondition('Succeeded', 'True', 'Succeeded', 'Revision succeeded rolling out.'));
  }
  return conditions;
}

function availability(version: string, rollout: RolloutState): ExtensionCondition {
  const available = (status: ExtensionCondition['status'], reason: string, message: string) =>
    extensionCondition('Available', status, reason, message);
  switch (rollout.state) {
    case 'complete':
      return available('True', 'ProbesSucceeded', 'Objects are available and pass all probes.');
    case 'waiting':
      return rollout.failures.length === 0
        ? available('False', 'RollingOut', `Revision ${version} is rolling out.`)
        : available('False', 'ProbeFailure', rollout.failures.join('\n'));
    case 'archived':
      return available('Unknown', 'Archived', 'revision is archived');
    case 'archiving':
      return available('Unknown', 'Reconciling', REMOVING);
    default:
      return available('Unknown', 'Reconciling', rollout.error);
  }
}

const REMOVING = 'removing revision resources that are not owned by another revision';

function progress(revision: ClusterObjectSet, version: string, rollout: RolloutState, now: Date): ExtensionCondition {
  const progressing = (status: ExtensionCondition['status'], reason: string, message: string) =>
    extensionCondition('Progressing', status, reason, message);
  if (rollout.state === 'complete') return progressing('True', 'Succeeded', `Revision ${version} has rolled out.`);
  if (rollout.state === 'blocked') return progressing('False', 'Blocked', rollout.error);
  if (rollout.state === 'archived') return progressing('False', 'Archived', 'revision is archived');
  if (rollout.state === 'archiving') return progressing('True', 'Retrying', REMOVING);
  const late = deadlineExceeded(revision, rollout, now);
  if (late !== undefined) return progressing('False', 'ProgressDeadlineExceeded', late);
  if (rollout.state === 'retrying') return progressing('True', 'Retrying', rollout.error);
  return hasSucceeded(revision)
    ? progressing('True', 'Succeeded', `Revision ${version} has rolled out.`)
    : progressing('True', 'RollingOut', `Revision ${version} is rolling out.`);
}

/** Milliseconds until the deadline of a revision that never succeeded; undefined where there is none. */
export function untilDeadline(revision: ClusterObjectSet, now: Date): number | undefined {
  const { progressDeadlineMinutes: minutes } = revision.spec;
  const { creationTimestamp } = revision.metadata;
  if (minutes === undefined || !creationTimestamp || hasSucceeded(revision)) return undefined;
  return Date.parse(creationTimestamp) + minutes * MINUTE_MS - now.getTime();
}

function deadlineExceeded(revision: ClusterObjectSet, rollout: RolloutState, now: Date): string | undefined {
  const left = untilDeadline(revision, now);
  if (left === undefined || left > 0) return undefined;
  const { progressDeadlineMinutes: minutes = 0 } = revision.spec;
  const version = annotationOf(revision, BUNDLE_VERSION_KEY) ?? '';
  const last = availability(version, rollout).message;
  return `Revision has not rolled out for ${minutes} minute${minutes === 1 ? '' : 's'}. Last status: ${last}`;
}
