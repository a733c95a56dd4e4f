import type { DeprecationEntry } from '#core/catalog/model/catalog';
import { CLUSTER_OBJECT_SET_API, type ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type ExtensionTrouble, extensionEvent } from '#core/v1/extension/report-extension';
import type { DesiredRevision } from '#core/v1/revision/build-revision';
import { DIGEST_KEY } from '#core/v1/revision/revision-keys';
import { annotationOf } from '#core/v1/revision/revision-states';
import { perform } from '../../engine/passes/perform.js';
import { MOVED, type StageOutcome, waitFor } from '../../engine/passes/stage.js';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { performOnOwn } from '../extensions/perform-on-own.js';
import { makeRevision } from '../revisions/make-revision.js';
import { nextRevision } from './next-revision.js';
import { isUnchanged, troubleOf } from './revision-decision.js';

/** The result of following the desired state in one round. */
export type FollowOutcome = StageOutcome &
  Readonly<{
    /** No solution yet: the status is left as it is. */
    unsolved?: true;
    trouble?: ExtensionTrouble | undefined;
    deprecation?: readonly DeprecationEntry[] | undefined;
    note?: string | undefined;
  }>;

const NEXT_CHECK = 'the next check of the bundle, its rights and its CRDs';
/** The garbage collector takes seconds. */
const COLLECTED_AFTER_MS = 2_000;

/** Brings the newest revision to the desired state, and stores a new one if it differs. */
export async function followDesiredState(pass: ExtensionPass): Promise<FollowOutcome> {
  const decided = await nextRevision(pass);
  const { deprecation, note, againAfterMs } = decided;
  const newest = pass.read.states.active.at(-1);
  const reported = { deprecation, note, ...(againAfterMs === undefined ? {} : { waitsFor: NEXT_CHECK, againAfterMs }) };
  switch (decided.next) {
    case 'wait':
      return { ...waitFor('the choice of a bundle, or its content', againAfterMs), unsolved: true };
    case 'trouble':
      return { ...reported, moved: false, trouble: decided.trouble };
    case 'keep':
      if (newest === undefined || decided.annotations === undefined) return { ...reported, moved: false };
      return { ...reported, moved: await annotate(pass, newest, decided.annotations) };
    case 'make':
      return { ...reported, ...(await store(pass, decided.desired, newest)) };
  }
}

/**
 * Annotates the newest revision, which is the desired state. Only its note of its origin, and its deadline,
 * may be out of date.
 */
async function annotate(
  pass: ExtensionPass,
  newest: ClusterObjectSet,
  annotations: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { progressDeadlineMinutes = null } = pass.read.extension.spec;
  const ref = { ...CLUSTER_OBJECT_SET_API, name: newest.metadata.name ?? '' };
  const patch = { metadata: { annotations }, spec: { progressDeadlineMinutes } };
  return performOnOwn(pass, [{ do: 'patch', ref, patch }], [newest]);
}

async function store(
  pass: ExtensionPass,
  desired: DesiredRevision,
  newest: ClusterObjectSet | undefined,
): Promise<StageOutcome & Pick<FollowOutcome, 'trouble'>> {
  const made = await makeRevision(pass, desired);
  const { from } = desired;
  if ('gone' in made) {
    pass.reader.doubtAll();
    return MOVED;
  }
  if ('collecting' in made) return waitFor('the garbage collector to delete a Secret of that name', COLLECTED_AFTER_MS);
  if ('error' in made) return { moved: false, trouble: troubleOf(from, 'Blocked', made.error) };
  const { bundle } = from;
  const before = newest && annotationOf(newest, DIGEST_KEY);
  const changed =
    isUnchanged(newest, from) && before !== undefined && before !== desired.digest
      ? `. Bundle ${bundle.name} has other content under the same version ${bundle.version}: it was ${before}, it is ${desired.digest}`
      : '';
  const reason = changed === '' ? 'RevisionCreated' : 'BundleContentChanged';
  const origin =
    desired.adoption === undefined ? '' : ' from the Helm release of OLM v1, and takes over the running objects';
  const message = `Revision ${made.revision.metadata.name} for bundle ${bundle.name} version ${bundle.version} was created${origin}${changed}`;
  const event = extensionEvent(pass.read.extension, 'Normal', reason, message);
  await perform(pass, [event]);
  return MOVED;
}
