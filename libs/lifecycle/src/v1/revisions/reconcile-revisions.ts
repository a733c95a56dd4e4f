import { CLUSTER_OBJECT_SET_API, type ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { stampConditions } from '#core/v1/extension/stamp-conditions';
import { type RolloutState, revisionConditions, untilDeadline } from '#core/v1/revision/revision-conditions';
import type { RevisionContent } from '#core/v1/revision/revision-content';
import { hasSucceeded, isArchived } from '#core/v1/revision/revision-states';
import { requireLive } from '../../engine/passes/perform.js';
import { AT_REST, joined, type StageOutcome, soonest, type Wait } from '../../engine/passes/stage.js';
import type { RevisionsPass } from '../extensions/extension-pass.js';
import { performOnOwn } from '../extensions/perform-on-own.js';
import { readContent } from '../extensions/read-content.js';
import { archiveRevision } from './archive-revision.js';
import { rollOut } from './rollout.js';

const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;
const REMOVING_MS = 5_000;

/**
 * Rolls out every active revision, the oldest first, takes archived ones apart, and
 * writes how far each has come.
 */
export async function reconcileRevisions(pass: RevisionsPass): Promise<StageOutcome> {
  const { active, leaving, rollingOut } = pass.read.states;
  if (rollingOut.length + leaving.length > 0) requireLive(pass, 'a rollout');
  let outcome = AT_REST;
  for (const revision of [...active, ...leaving]) {
    outcome = joined(outcome, await reconcileRevision(pass, revision));
    if (outcome.moved) return outcome;
  }
  return outcome;
}

async function reconcileRevision(pass: RevisionsPass, revision: ClusterObjectSet): Promise<StageOutcome> {
  const content = readContent(pass, revision);
  const rollout = await rolloutOf(pass, revision, content);
  const written = await writeStatus(pass, revision, rollout, content);
  if (written && rollout.state === 'complete' && !hasSucceeded(revision)) noteRollout(pass, revision);
  const archived = rollout.state === 'complete' && (await archiveOlder(pass, revision));
  return { moved: written || archived, ...waitOf(pass, revision, rollout, content) };
}

function waitOf(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  rollout: RolloutState,
  content: RevisionContent,
): Wait {
  const { name } = revision.metadata;
  const deadline = untilDeadline(revision, pass.now);
  const late = deadline !== undefined && deadline > 0 && rollout.state !== 'complete';
  return soonest(
    awaitedBy(pass, revision, rollout, content),
    late ? { waitsFor: `the deadline of revision ${name}`, againAfterMs: deadline } : {},
  );
}

function awaitedBy(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  { state }: RolloutState,
  content: RevisionContent,
): Wait {
  const { name } = revision.metadata;
  switch (state) {
    case 'retrying':
      return { waitsFor: `the obstacle of revision ${name} to be removed`, againAfterMs: retryPause(pass, revision) };
    case 'archiving':
      return { waitsFor: `the objects of revision ${name} to be deleted`, againAfterMs: REMOVING_MS };
    case 'complete':
      if (!hasSecrets(content)) return {};
      return { waitsFor: `changes of Secrets of revision ${name}`, againAfterMs: pass.deps.secretIntervalMs };
    default:
      return {};
  }
}

/**
 * True if the content has Secrets. They are not watched: the poller has the watches, and may not read them.
 */
const hasSecrets = (content: RevisionContent): boolean =>
  'phases' in content &&
  content.phases.some(({ objects }) =>
    objects.some(({ object }) => object.apiVersion === 'v1' && object.kind === 'Secret'),
  );

function noteRollout({ client, deps, now }: RevisionsPass, { metadata }: ClusterObjectSet): void {
  const made = Date.parse(metadata.creationTimestamp ?? '');
  if (!Number.isNaN(made)) deps.onRolledOut(client.cluster, Math.max(0, now.getTime() - made) / 1_000);
}

/** An obstacle at the start often disappears at once; OLM v1 always waits the longest pause. */
function retryPause({ now }: RevisionsPass, { metadata, status }: ClusterObjectSet): number {
  const unknown = status?.conditions?.find(({ type, status }) => type === 'Available' && status === 'Unknown');
  const since = Date.parse(unknown?.lastTransitionTime ?? metadata.creationTimestamp ?? '');
  const passed = Number.isNaN(since) ? 0 : now.getTime() - since;
  return Math.min(Math.max(passed / 2, SHORTEST_RETRY_MS), LONGEST_RETRY_MS);
}

function rolloutOf(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  content: RevisionContent,
): Promise<RolloutState> | RolloutState {
  if ('error' in content) {
    // An archived revision with lost manifests has nothing left to delete.
    if (isArchived(revision)) return { state: 'archived' };
    return { state: content.blocked ? 'blocked' : 'retrying', error: content.error };
  }
  return (isArchived(revision) ? archiveRevision : rollOut)(pass, revision, content.phases);
}

async function writeStatus(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  rollout: RolloutState,
  content: RevisionContent,
): Promise<boolean> {
  const { status, metadata } = revision;
  const conditions = revisionConditions(revision, rollout, pass.now);
  const observed = status?.observedPhases ?? ('digests' in content ? [...content.digests] : undefined);
  const next = {
    ...status,
    conditions: stampConditions(status?.conditions, conditions, metadata.generation, pass.now),
    ...(observed === undefined ? {} : { observedPhases: observed }),
  };
  const object = { ...revision, status: next };
  return performOnOwn(pass, [{ do: 'updateStatus', object }], [revision]);
}

/** The complete revision has taken over: earlier ones are archived. */
async function archiveOlder(pass: RevisionsPass, revision: ClusterObjectSet): Promise<boolean> {
  const older = pass.read.states.active.filter(({ spec }) => spec.revision < revision.spec.revision);
  if (older.length > 0) requireLive(pass, 'the archive of earlier revisions');
  const actions = older.map((one) => ({
    do: 'patch' as const,
    ref: { ...refOf(one), ...CLUSTER_OBJECT_SET_API },
    patch: { spec: { lifecycleState: 'Archived' } },
  }));
  return performOnOwn(pass, actions);
}
