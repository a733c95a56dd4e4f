import { CLUSTER_OBJECT_SET_API, type ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { stampConditions } from '#core/v1/extension/stamp-conditions';
import { type RolloutState, revisionConditions, untilDeadline } from '#core/v1/revision/revision-conditions';
import type { RevisionContent } from '#core/v1/revision/revision-content';
import { hasSucceeded, isArchived } from '#core/v1/revision/revision-states';
import { sooner } from '../../classic/namespaces/stage.js';
import { archiveRevision } from './archive-revision.js';
import type { RevisionsPass } from './extension-pass.js';
import { performOnOwn } from './perform-on-own.js';
import { readContent } from './read-content.js';
import { rollOut } from './roll-out.js';

const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;
const REMOVING_MS = 5_000;

export type RevisionsOutcome = Readonly<{ moved: boolean; againAfterMs: number | undefined }>;

/** Rolls out every active revision, the oldest first, takes archived ones apart, and writes how far each has come. */
export async function reconcileRevisions(pass: RevisionsPass): Promise<RevisionsOutcome> {
  const { active, leaving } = pass.read.states;
  let againAfterMs: number | undefined;
  for (const revision of [...active, ...leaving]) {
    const outcome = await reconcileRevision(pass, revision);
    againAfterMs = sooner(againAfterMs, outcome.againAfterMs);
    if (outcome.moved) return { moved: true, againAfterMs };
  }
  return { moved: false, againAfterMs };
}

async function reconcileRevision(pass: RevisionsPass, revision: ClusterObjectSet): Promise<RevisionsOutcome> {
  const content = readContent(pass, revision);
  const rollout = await rolloutOf(pass, revision, content);
  const written = await writeStatus(pass, revision, rollout, content);
  if (written && rollout.state === 'complete' && !hasSucceeded(revision)) noteRollout(pass, revision);
  const archived = rollout.state === 'complete' && (await archiveOlder(pass, revision));
  const deadline = untilDeadline(revision, pass.now);
  const retry = rollout.state === 'retrying' ? retryPause(pass, revision) : undefined;
  const removing = rollout.state === 'archiving' ? REMOVING_MS : undefined;
  const late = deadline !== undefined && deadline > 0 && rollout.state !== 'complete' ? deadline : undefined;
  const unwatched = rollout.state === 'complete' && hasSecrets(content) ? pass.deps.secretIntervalMs : undefined;
  return { moved: written || archived, againAfterMs: sooner(retry ?? removing ?? unwatched, late) };
}

/** They are not watched: the poller, which watches, may not read them. */
const hasSecrets = (content: RevisionContent): boolean =>
  'phases' in content &&
  content.phases.some(({ objects }) =>
    objects.some(({ object }) => object.apiVersion === 'v1' && object.kind === 'Secret'),
  );

function noteRollout({ client, deps, now }: RevisionsPass, { metadata }: ClusterObjectSet): void {
  const made = Date.parse(metadata.creationTimestamp ?? '');
  if (!Number.isNaN(made)) deps.onRolledOut(client.cluster, Math.max(0, now.getTime() - made) / 1_000);
}

/** What stands in the way from the start often goes at once; OLM v1 always waits the longest pause. */
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
    // Of an archived revision whose manifests are gone there is nothing left to look for.
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
  const known = () => revision;
  const object = { ...revision, status: next };
  return performOnOwn(pass, [{ do: 'updateStatus', object }], { known });
}

/** What is complete has taken over: earlier revisions are archived. */
async function archiveOlder(pass: RevisionsPass, revision: ClusterObjectSet): Promise<boolean> {
  const older = pass.read.states.active.filter(({ spec }) => spec.revision < revision.spec.revision);
  const actions = older.map((one) => ({
    do: 'patch' as const,
    ref: { ...refOf(one), ...CLUSTER_OBJECT_SET_API },
    patch: { spec: { lifecycleState: 'Archived' } },
  }));
  return performOnOwn(pass, actions);
}
