import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import { type ExtensionCondition, extensionCondition } from './extension-condition.js';
import { BUNDLE_VERSION_KEY } from './revision-keys.js';
import { annotationOf, copied, hasSucceeded } from './revision-states.js';

/** Progress of a revision in one pass. */
export type RolloutState =
  | Readonly<{ state: 'complete' }>
  /** `failures`: of each incomplete phase, the first object that is not ready and why. */
  | Readonly<{ state: 'waiting'; failures: readonly string[] }>
  /** A hindrance that may pass by itself. */
  | Readonly<{ state: 'retrying'; error: string }>
  | Readonly<{ state: 'blocked'; error: string }>
  | Readonly<{ state: 'archived' }>
  /** Archived, but objects of it are still there. */
  | Readonly<{ state: 'archiving' }>;

const MINUTE_MS = 60_000;

/** The conditions of a revision, sorted by type (spec: v1-apply.md, "Revision reconcile"). */
export function revisionConditions(revision: ClusterObjectSet, rollout: RolloutState, now: Date): ExtensionCondition[] {
  const version = annotationOf(revision, BUNDLE_VERSION_KEY) ?? '';
  const available = availability(revision, version, rollout);
  const conditions = [...(available === undefined ? [] : [available]), progress(revision, version, rollout, now)];
  if (rollout.state === 'complete' || hasSucceeded(revision)) {
    const held = rollout.state === 'complete' ? '' : copied(revision, 'Succeeded')?.message;
    conditions.push(succeeded(held || 'Revision succeeded rolling out.'));
  }
  return conditions;
}

const succeeded = (message: string): ExtensionCondition =>
  extensionCondition('Succeeded', 'True', 'Succeeded', message);

/** Set at once on a revision of an existing installation (spec: v1-apply.md §7, "Migration from Helm"). */
export const MIGRATED: ExtensionCondition = succeeded('Revision succeeded - migrated from Helm release');

/**
 * Returns the condition Available. Undefined if nothing is known of it yet. A hindrance turns only a known
 * state into unknown.
 */
function availability(
  revision: ClusterObjectSet,
  version: string,
  rollout: RolloutState,
): ExtensionCondition | undefined {
  const available = (status: ExtensionCondition['status'], reason: string, message: string) =>
    extensionCondition('Available', status, reason, message);
  const held = copied(revision, 'Available');
  switch (rollout.state) {
    case 'complete':
      return available('True', 'ProbesSucceeded', 'Objects are available and pass all probes.');
    case 'waiting':
      return rollout.failures.length === 0
        ? available('False', 'RollingOut', rollingOut(version))
        : available('False', 'ProbeFailure', rollout.failures.join('\n'));
    case 'archived':
      return available('Unknown', 'Archived', 'revision is archived');
    case 'archiving':
      return held && available('Unknown', 'Reconciling', REMOVING);
    case 'retrying':
      return held && available('Unknown', 'Reconciling', rollout.error);
    case 'blocked':
      return held;
  }
}

/** A ClusterObjectSet without a ClusterExtension has no version of a bundle. */
const titleOf = (version: string): string => (version === '' ? 'Revision' : `Revision ${version}`);
const rollingOut = (version: string): string => `${titleOf(version)} is rolling out.`;
const rolledOut = (version: string): string => `${titleOf(version)} has rolled out.`;
const REMOVING = 'removing revision resources that are not owned by another revision';

function progress(revision: ClusterObjectSet, version: string, rollout: RolloutState, now: Date): ExtensionCondition {
  const progressing = (status: ExtensionCondition['status'], reason: string, message: string) =>
    extensionCondition('Progressing', status, reason, message);
  if (rollout.state === 'complete') return progressing('True', 'Succeeded', rolledOut(version));
  if (rollout.state === 'blocked') return progressing('False', 'Blocked', rollout.error);
  if (rollout.state === 'archived') return progressing('False', 'Archived', 'revision is archived');
  if (rollout.state === 'archiving') return progressing('True', 'Retrying', REMOVING);
  const late = deadlineExceeded(revision, rollout.state === 'retrying' ? rollout.error : rollingOut(version), now);
  if (late !== undefined) return progressing('False', 'ProgressDeadlineExceeded', late);
  if (rollout.state === 'retrying') return progressing('True', 'Retrying', rollout.error);
  return hasSucceeded(revision)
    ? progressing('True', 'Succeeded', rolledOut(version))
    : progressing('True', 'RollingOut', rollingOut(version));
}

/** Milliseconds until the deadline of a revision that never succeeded. Undefined if there is none. */
export function untilDeadline(revision: ClusterObjectSet, now: Date): number | undefined {
  const { progressDeadlineMinutes: minutes } = revision.spec;
  const { creationTimestamp } = revision.metadata;
  if (minutes === undefined || !creationTimestamp || hasSucceeded(revision)) return undefined;
  return Date.parse(creationTimestamp) + minutes * MINUTE_MS - now.getTime();
}

function deadlineExceeded(revision: ClusterObjectSet, last: string, now: Date): string | undefined {
  const left = untilDeadline(revision, now);
  if (left === undefined || left > 0) return undefined;
  const { progressDeadlineMinutes: minutes = 0 } = revision.spec;
  return `Revision has not rolled out for ${minutes} minute(s). Last status: ${last}`;
}
