import type { Action } from '#core/kernel/actions/action';
import { APPLIER } from '#core/kernel/actions/field-managers';
import { conversionIn } from '#core/kernel/admission/conversion-refusal';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { goQuote } from '#core/kernel/versions/go-quote';
import { probeObject } from '#core/v1/revision/probe-object';
import type { RolloutState } from '#core/v1/revision/revision-conditions';
import type { ContentPhase } from '#core/v1/revision/revision-content';
import { type ObjectStep, objectTitle, stepObject } from '#core/v1/revision/step-object';
import { validateRevision } from '#core/v1/revision/validate-revision';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { performActions } from '#platform/kube/write/perform-actions';
import { applyWouldChange, patchWouldChange } from '#platform/kube/write/would-change';
import { namingWebhook } from '../../engine/passes/name-webhook.js';
import { requireLive } from '../../engine/passes/perform.js';
import { type RevisionsPass, siblingsOf } from '../extensions/extension-pass.js';

type Checked = Readonly<{ wanted: KubernetesObject; live: KubernetesObject | undefined; step: ObjectStep }>;

/**
 * Rolls a revision out, or keeps it in shape, phase by phase: a phase starts once all before it are applied
 * and ready. An obstacle to one object keeps its whole phase from being applied.
 */
export async function rollOut(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  phases: readonly ContentPhase[],
): Promise<RolloutState> {
  const invalid = validateRevision(revision, phases);
  if (invalid !== undefined) return { state: 'retrying', error: invalid };
  for (const [index, phase] of phases.entries()) {
    const stopped = await rollOutPhase(pass, revision, [index, phase]).catch((error: unknown) =>
      unavailable(pass, [index, phase], error),
    );
    if (stopped !== undefined) return stopped;
  }
  return { state: 'complete' };
}

/** Undefined once all objects of the phase are applied and ready. */
async function rollOutPhase(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  [index, phase]: readonly [index: number, phase: ContentPhase],
): Promise<RolloutState | undefined> {
  const checked = await check(pass, revision, phase);
  const collisions = checked.flatMap(({ step }) => (step.step === 'collision' ? [step.report] : []));
  if (collisions.length > 0) {
    const error = `revision object collisions in phase ${index}\n${collisions.join('\n\n')}`;
    return { state: 'retrying', error };
  }
  if (checked.some(wouldChange)) requireLive(pass, 'a change of the objects of a revision');
  const refused = (await refusals(pass, checked)) ?? (await applyAll(pass, checked));
  if (refused !== undefined) return retrying(phase, index, refused);
  const failures = await unready(pass.client, revision, checked);
  return failures.length > 0 ? { state: 'waiting', failures: failures.slice(0, 1) } : undefined;
}

const retrying = ({ name }: ContentPhase, index: number, why: string): RolloutState => ({
  state: 'retrying',
  error: `phase ${index} validation error: phase ${goQuote(name)}: ${why}`,
});

/**
 * Returns `retrying` for a phase if the backend of an aggregated API, or a conversion webhook, does not
 * answer. Only phases with objects of its kinds wait. Throws other errors again.
 */
async function unavailable(
  { reader }: RevisionsPass,
  [index, phase]: readonly [index: number, phase: ContentPhase],
  error: unknown,
): Promise<RolloutState> {
  if (KubeApiError.is(error, 'APIUnavailable')) return retrying(phase, index, error.said);
  if (!KubeApiError.is(error) || conversionIn(error.said) === undefined) throw error;
  return retrying(phase, index, (await namingWebhook(reader, error)).said);
}

function check(pass: RevisionsPass, revision: ClusterObjectSet, phase: ContentPhase): Promise<Checked[]> {
  const siblings = siblingsOf(pass, revision);
  return Promise.all(
    phase.objects.map(async ({ object: wanted, protection }) => {
      const live = await pass.client.get(refOf(wanted)).catch((error: unknown) => {
        // A kind that is not served, or a missing namespace: applying reports it.
        if (KubeApiError.is(error, 'NotFound')) return undefined;
        throw error;
      });
      return { wanted, live, step: stepObject({ wanted, live, revision, siblings, protection }) };
    }),
  );
}

const actionsOf = ({ step }: Checked): readonly Action[] => (step.step === 'apply' ? step.actions : []);

const isNews = ({ live }: Checked, object: KubernetesObject): boolean =>
  live === undefined || applyWouldChange(live, object, APPLIER);

const wouldChange = (one: Checked): boolean =>
  actionsOf(one).some((action) => {
    if (action.do === 'patch') return one.live === undefined || patchWouldChange(one.live, action.patch);
    return action.do === 'apply' && isNews(one, action.object);
  });

/** The API server's objections to the objects of a phase, before any of them is applied; undefined: none. */
async function refusals(pass: RevisionsPass, checked: readonly Checked[]): Promise<string | undefined> {
  const tried = checked.flatMap((one) =>
    actionsOf(one).flatMap((action) => (action.do === 'apply' && isNews(one, action.object) ? [action.object] : [])),
  );
  const answers = await Promise.all(tried.map((object) => dryRun(pass, object)));
  const problems = answers.filter((answer) => answer !== undefined);
  return problems.length === 0 ? undefined : problems.join('; ');
}

async function dryRun(pass: RevisionsPass, object: KubernetesObject): Promise<string | undefined> {
  try {
    await pass.writer.apply(withoutOwners(object), { dryRun: true });
    return undefined;
  } catch (error) {
    return refusalText(pass, object, error);
  }
}

/** An adopted object still has its earlier owner: the server would see two controllers. */
function withoutOwners(object: KubernetesObject): KubernetesObject {
  const { ownerReferences: _owners, ...metadata } = object.metadata;
  return { ...object, metadata };
}

async function applyAll(pass: RevisionsPass, checked: readonly Checked[]): Promise<string | undefined> {
  const { writer, client, now, signal } = pass;
  const outcomes = await Promise.all(
    checked.map(async (one) => {
      const known = () => one.live;
      const actions = actionsOf(one);
      const owners = actions.filter((action) => action.do === 'patch');
      const options = { known, fieldManager: APPLIER, signal };
      const freed = await performActions(client, owners, now, options);
      const outcome = freed.ok ? await performActions(writer, actions.filter(isApply), now, options) : freed;
      return outcome.ok ? undefined : refusalText(pass, one.wanted, outcome.error);
    }),
  );
  const problems = outcomes.filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : problems.join('; ');
}

const isApply = (action: Action): boolean => action.do === 'apply';

/** An unreachable server is no answer about the object: the whole pass is retried later. */
async function refusalText({ reader }: RevisionsPass, object: KubernetesObject, error: unknown): Promise<string> {
  if (!KubeApiError.is(error) || error.status === 0) throw error;
  return `${objectTitle(object)}: ${(await namingWebhook(reader, error)).said}`;
}

/**
 * The objects that are not ready, as titles with their reasons. Objects that were
 * just applied are read again.
 */
async function unready(
  client: KubeClient,
  revision: ClusterObjectSet,
  checked: readonly Checked[],
): Promise<readonly string[]> {
  const probes = revision.spec.progressionProbes ?? [];
  const texts = await Promise.all(
    checked.map(async (one) => {
      if (one.step.step === 'progressed') return undefined;
      const written = actionsOf(one).some((action) => action.do === 'apply' && isNews(one, action.object));
      const live = written ? await client.get(refOf(one.wanted)) : one.live;
      if (live === undefined) return `Object ${objectTitle(one.wanted)}: not found`;
      const problems = probeObject(live, one.wanted, probes);
      return problems.length === 0 ? undefined : `Object ${objectTitle(one.wanted)}: ${problems.join(' and ')}`;
    }),
  );
  return texts.filter((text) => text !== undefined);
}
