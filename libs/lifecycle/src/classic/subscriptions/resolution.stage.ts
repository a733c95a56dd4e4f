import { bundlesToInstall, type ResolvedResolution } from '#core/classic/install-plan/plan-install';
import { type UnpackSettings, unpackSettings } from '#core/classic/operator-group/unpack-annotations';
import { desiredNamespaceOf } from '#core/classic/resolution/desired-namespace';
import { nextPart } from '#core/classic/resolution/isolation/resolution-parts';
import type { Resolution, ResolutionProblem, Unresolved } from '#core/classic/resolution/resolution-problem';
import { bounded } from '#core/classic/resolution/verify-failure';
import { applyPlanned, applyResolution, type ResolutionEffect } from '#core/classic/subscription/apply-resolution';
import { needsResolution } from '#core/classic/subscription/bookkeep-subscription';
import { pauseBeforeFetch } from '#core/classic/subscription/fetch-pace';
import { upgradeUnderWayMs } from '#core/classic/subscription/upgrade-under-way';
import { OPERATOR_GROUP_API, type OperatorGroup } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { sameJson } from '#core/kernel/canonical/same-json';
import { changeOf } from '#core/kernel/change/change-id';
import { clipMessage } from '#core/kernel/conditions/clip-message';
import { environmentName } from '#platform/config/settings';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { Log } from '#platform/telemetry/log.port';
import type { Tracer } from '#platform/telemetry/tracing/tracer.port';
import { perform } from '../../engine/perform.js';
import type { PollerAgreement } from '../../engine/poller-agreement.js';
import { AT_REST, MOVED, type StageOutcome, waitFor } from '../../engine/stage.js';
import type { BundleContents } from '../install-plans/bundle-contents.js';
import type { PlanMarks } from '../install-plans/plan-marks.js';
import type { HashedProblem, ObservedProblems } from '../namespaces/observed-problems.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/stage.js';
import { makePlan, planFailure } from './make-plan.js';
import type { FailedProblem, ResolvedProblem, SolutionCheck } from './solution-check.js';
import { surroundingsOf, writeChanges } from './subscription.stage.js';
import { type UnpackFailure, unpackBundles } from './unpack-bundles.js';
import { type HeldSubscriptions, usablePart } from './usable-part.js';

export type ResolutionDeps = Readonly<{
  observed: ObservedProblems;
  check: SolutionCheck;
  agreement: Pick<PollerAgreement, 'note'>;
  contents: BundleContents;
  observe: JobQueue<SubjectJob>;
  log: Log;
  /** For the bundles of one resolution, in milliseconds; 0: as long as it takes. */
  unpackTimeoutMs: number;
  marks: PlanMarks | undefined;
  tracer?: Tracer | undefined;
}>;

/**
 * OLM retries a failed unpack after five minutes (spec: subscriptions.md §2.7); a pull that
 * failed is retried sooner.
 */
const FETCH_AGAIN_MS = 15_000;
const GLOBAL_CATALOGS = environmentName('globalCatalogNamespace');
/** A compromised resolver must not keep poller and applier running in circles. */
const OBSERVE_AFTER_REFUSAL_MS = 30_000;
/**
 * The poller mostly notices by itself what makes an answer stale; asking it at once would only
 * have both run in circles.
 */
const OBSERVE_AFTER_MS = 1_000;

/**
 * Acts on the namespace's solution, if it has one that still fits: reports a "no", or makes
 * the InstallPlan of a "yes".
 */
export const resolutionStage =
  (deps: ResolutionDeps): NamespaceStage =>
  async (input) => {
    const { read } = input;
    if (read.subscriptions.length === 0) return AT_REST;
    const [group, ...others] = read.operatorGroups;
    if (group === undefined || others.length > 0) return tellGroupCount(input);
    const unpack = unpackSettings(group);
    if ('error' in unpack) return perform(input, [warning(read.namespace, `${unpack.error}: nothing is resolved`)]);
    if (!needsResolution(read.subscriptions)) return AT_REST;
    const againAfterMs = untilUpgraded(input);
    if (againAfterMs !== undefined) return waitFor('an upgrade that is under way', againAfterMs);
    const solved = await currentSolution(deps, input);
    if (solved === undefined) return AT_REST;
    const { solution, hash } = solved;
    const change = changeOf({ cluster: input.client.cluster, namespace: read.namespace }, hash);
    const changing = { ...input, change };
    if (solution.result !== 'resolved') return tellFailure(deps, changing, { ...solved, solution });
    return install(deps, changing, { ...solved, solution }, unpack);
  };

const untilUpgraded = ({ read, now }: NamespaceStageInput): number | undefined =>
  surroundingsOf(read).failForward ? undefined : upgradeUnderWayMs(read.csvs, read.installPlans, now);

type SolvedProblem = Readonly<{ hash: string; problem: ResolutionProblem; solution: Resolution }>;

/** The observed problem and its solution, if the desired state is still what was solved. */
async function currentSolution(
  { observed, observe, agreement }: ResolutionDeps,
  input: NamespaceStageInput,
): Promise<SolvedProblem | undefined> {
  const { client, read } = input;
  const { cluster } = client;
  const desired = desiredNamespaceOf(read);
  const fits = (one: HashedProblem | undefined) => sameJson(desired, one?.problem.wishes);
  const first = await observed.of(input);
  const known = fits(first) ? first : await observed.ofRound(input);
  if (known !== undefined) {
    const poller = known.problem.wishes.globalCatalogNamespace;
    agreement.note(cluster, { setting: GLOBAL_CATALOGS, applier: read.globalCatalogNamespace, poller });
  }
  if (known === undefined || !fits(known)) {
    await observe.add({ v: 1, cluster, namespace: read.namespace }, { delayMs: OBSERVE_AFTER_MS });
    return undefined;
  }
  const solution = await observed.solution(input, known.hash);
  return solution && { ...known, solution };
}

/** OLM writes this to its log alone (spec: subscriptions.md §2.3); users read Events. */
async function tellGroupCount(input: NamespaceStageInput): Promise<StageOutcome> {
  const { namespace, operatorGroups } = input.read;
  if (!(await areThoseGroups(input))) return MOVED;
  const advice =
    operatorGroups.length === 0
      ? 'create an OperatorGroup that says which namespaces the operators of this one watch'
      : `delete all but one of ${operatorGroups.map(({ metadata }) => metadata.name).join(', ')}`;
  const message = `found ${operatorGroups.length} operatorGroups, expected 1: nothing is resolved in this namespace; ${advice}`;
  return perform(input, [warning(namespace, message)]);
}

/** A cache may have a Subscription before the OperatorGroup that is older: each kind has its own watch. */
async function areThoseGroups({ client, read, reader }: NamespaceStageInput): Promise<boolean> {
  if (reader.live) return true;
  const found = await client.list<OperatorGroup>(OPERATOR_GROUP_API, { namespace: read.namespace });
  const uids = (groups: readonly OperatorGroup[]) => canonicalJson(groups.map(({ metadata }) => metadata.uid).sort());
  if (uids(found?.items ?? []) === uids(read.operatorGroups)) return true;
  reader.doubtAll();
  return false;
}

async function tellFailure(
  deps: ResolutionDeps,
  input: NamespaceStageInput,
  failed: FailedProblem,
): Promise<StageOutcome> {
  const { log, check } = deps;
  const where = { cluster: input.client.cluster, namespace: input.read.namespace };
  const resolution = await check.verifiedFailure(where, failed);
  if (resolution === undefined) {
    await solveAnew(deps, input);
    return AT_REST;
  }
  const reported = await conclude(input, { effect: 'failed', resolution });
  if (!reported.moved) return reported;
  const { namespace } = input.read;
  const { message, advice } = resolution;
  log.warn({ ...where, change: input.change, message }, 'resolution failed');
  await perform(input, [warning(namespace, `${message}. ${advice}`)]);
  return reported;
}

/**
 * With isolation: an Event for each Subscription that is left out, unless its
 * condition says the same already.
 */
async function tellLeftOut(input: NamespaceStageInput, { unresolved = [] }: ResolvedResolution): Promise<void> {
  const { namespace, subscriptions } = input.read;
  const isNews = ({ name, message }: Unresolved) =>
    subscriptions.some(
      ({ metadata, status }) =>
        metadata.name === name &&
        !status?.conditions?.some((held) => held.type === 'ResolutionFailed' && held.message === clipMessage(message)),
    );
  const events = unresolved
    .filter((desired) => desired.kind === 'subscription' && isNews(desired))
    .map(({ name, message, advice }) => warning(namespace, `Subscription ${name} is left out: ${message}. ${advice}`));
  if (events.length > 0) await perform(input, events);
}

const warning = (namespace: string, message: string) => ({
  do: 'emitEvent' as const,
  about: { apiVersion: 'v1', kind: 'Namespace', name: namespace },
  type: 'Warning' as const,
  reason: 'ResolutionFailed',
  message,
});

async function install(
  deps: ResolutionDeps,
  input: NamespaceStageInput,
  solved: ResolvedProblem,
  unpack: UnpackSettings,
): Promise<StageOutcome> {
  const { solution } = solved;
  const { read } = input;
  const resolution =
    solution.unresolved === undefined ? solution : { ...solution, unresolved: solution.unresolved.map(bounded) };
  await tellLeftOut(input, resolution);
  if (resolution.subscriptionsUpdated.length === 0) return conclude(input, { effect: 'settled', resolution });
  if (!(await isAdmitted(deps, input, { ...solved, solution }))) return AT_REST;
  const { timeoutMs = deps.unpackTimeoutMs, minRetryMs = FETCH_AGAIN_MS } = unpack;
  const turn = turnOf(input, resolution, minRetryMs);
  if ('pauseMs' in turn) return waitFor('the next try to unpack bundles', turn.pauseMs);
  const { part } = turn;
  if (part === undefined) return conclude(input, { effect: 'settled', resolution });
  const wanted = bundlesToInstall(part.resolution);
  const unpacking = { wanted, subscriptions: askingFor(part, input), timeoutMs };
  const unpacked = await unpackBundles(deps.contents, input, unpacking);
  if ('outcome' in unpacked) return unpacked.outcome;
  const { fetched } = unpacked;
  if ('effect' in fetched) return tellUnpackFailure(input, askingFor(part, input), fetched, minRetryMs);
  const usable = usablePart(part.resolution, fetched, read);
  const held = await tellHeld(input, usable.held, minRetryMs);
  const { resolution: rest, bundles } = usable;
  if (held !== undefined && rest.subscriptionsUpdated.length === 0) return held;
  if (!(await stillWished(input))) return MOVED;
  const others = without(read.subscriptions, usable.held);
  const going = { resolution: rest, subscriptions: without(askingFor(part, input), usable.held), bundles };
  const made = await makePlan(deps, input, going).catch((error: unknown) => planFailure(input, error));
  if ('effect' in made) return tellUnpackFailure(input, going.subscriptions, made, minRetryMs);
  const { plan } = made;
  const at = input.now.toISOString();
  if (plan === undefined) {
    return writeChanges(input, applyResolution(others, { effect: 'settled', resolution: rest }, at));
  }
  const leftOut = new Map([...bundles].map(([name, content]) => [name, content.leftOut]));
  return writeChanges(input, applyPlanned(others, { resolution: rest, plan, leftOut }, at));
}

/** Reports unusable bundles on the Subscriptions that wait for them; undefined if there are none. */
async function tellHeld(
  input: NamespaceStageInput,
  held: readonly HeldSubscriptions[],
  againAfterMs: number,
): Promise<StageOutcome | undefined> {
  let outcome: StageOutcome | undefined;
  for (const { subscriptions, failure } of held) {
    const waiting = input.read.subscriptions.filter(({ metadata }) => subscriptions.includes(metadata.name ?? ''));
    const told = await tellUnpackFailure(input, waiting, failure, againAfterMs);
    outcome = { ...told, moved: told.moved || (outcome?.moved ?? false) };
  }
  return outcome;
}

const without = (subscriptions: readonly Subscription[], held: readonly HeldSubscriptions[]) =>
  subscriptions.filter(({ metadata }) => !held.some((one) => one.subscriptions.includes(metadata.name ?? '')));

async function isAdmitted(deps: ResolutionDeps, input: NamespaceStageInput, solved: ResolvedProblem): Promise<boolean> {
  const where = { cluster: input.client.cluster, namespace: input.read.namespace };
  const admitted = await deps.check.admits(where, solved);
  if (!admitted) await solveAnew(deps, input);
  return admitted;
}

/** After a solution was refused. */
async function solveAnew({ observed, observe }: ResolutionDeps, input: NamespaceStageInput): Promise<void> {
  const where = { cluster: input.client.cluster, namespace: input.read.namespace };
  observed.forgetSolution(input);
  await observe.add({ v: 1, ...where }, { delayMs: OBSERVE_AFTER_REFUSAL_MS });
}

/**
 * A plan cannot be taken back: Subscriptions that were read from the cache are read live
 * once more before it is made.
 */
async function stillWished({ client, read, reader }: NamespaceStageInput): Promise<boolean> {
  if (reader.live) return true;
  const found = await client.list<Subscription>(SUBSCRIPTION_API, { namespace: read.namespace });
  const specs = (subscriptions: readonly Subscription[]) =>
    canonicalJson(Object.fromEntries(subscriptions.map(({ metadata, spec }) => [metadata.name ?? '', spec])));
  if (specs(found?.items ?? []) === specs(read.subscriptions)) return true;
  reader.doubtAll();
  return false;
}

/**
 * What one InstallPlan is for: all of a resolution, or with isolation a part of it and the
 * Subscriptions that ask for it.
 */
type Part = Readonly<{ resolution: ResolvedResolution; subscriptions?: readonly string[] }>;

/** What is installed next; a part whose bundles could not be fetched now comes after the others. */
function turnOf(
  { read, now }: NamespaceStageInput,
  resolution: ResolvedResolution,
  minRetryMs: number,
): Readonly<{ part: Part | undefined }> | Readonly<{ pauseMs: number }> {
  const { parts } = resolution;
  if (parts === undefined) {
    const pauseMs = pauseBeforeFetch(read.subscriptions, minRetryMs, now);
    return pauseMs > 0 ? { pauseMs } : { part: { resolution } };
  }
  const paused = parts.map(({ subscriptions }) => {
    const asking = read.subscriptions.filter(({ metadata }) => subscriptions.includes(metadata.name ?? ''));
    return pauseBeforeFetch(asking, minRetryMs, now);
  });
  const part = nextPart({ ...resolution, parts: parts.filter((_, index) => paused[index] === 0) });
  const pauses = paused.filter((pause) => pause > 0);
  return part === undefined && pauses.length > 0 ? { pauseMs: Math.min(...pauses) } : { part };
}

const askingFor = ({ subscriptions }: Part, { read }: NamespaceStageInput): readonly Subscription[] =>
  read.subscriptions.filter(({ metadata }) => subscriptions?.includes(metadata.name ?? '') ?? true);

const conclude = (input: NamespaceStageInput, effect: ResolutionEffect): Promise<StageOutcome> =>
  writeChanges(input, applyResolution(input.read.subscriptions, effect, input.now.toISOString()));

/** On the Subscriptions that wait for it, with an Event for each where it is news. */
async function tellUnpackFailure(
  input: NamespaceStageInput,
  subscriptions: readonly Subscription[],
  failure: UnpackFailure,
  againAfterMs: number,
): Promise<StageOutcome> {
  const changes = applyResolution(subscriptions, failure, input.now.toISOString());
  const reported = await writeChanges(input, changes);
  const events = changes.flatMap(({ changed, subscription: { metadata } }) => {
    const { name = '', namespace, uid } = metadata;
    const event = { do: 'emitEvent', type: 'Warning', reason: 'BundleUnpackFailed', message: failure.message } as const;
    return changed ? [{ ...event, about: { ...SUBSCRIPTION_API, name, namespace, uid } }] : [];
  });
  await perform(input, events);
  return { moved: reported.moved, waitsFor: 'the next try to unpack bundles', againAfterMs };
}
