import { bundlesToInstall } from '#core/classic/install-plan/creation/plan-install';
import { type UnpackSettings, unpackSettings } from '#core/classic/operator-group/unpack-annotations';
import { bounded } from '#core/classic/resolution/verify/verify-failure';
import { applyPlanned, applyResolution, type ResolutionEffect } from '#core/classic/subscription/apply-resolution';
import { needsResolution } from '#core/classic/subscription/bookkeep-subscription';
import { upgradeUnderWayMs } from '#core/classic/subscription/upgrade-under-way';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { changeOf } from '#core/kernel/change/change-id';
import { perform } from '../../engine/passes/perform.js';
import { AT_REST, MOVED, type StageOutcome, waitFor } from '../../engine/passes/stage.js';
import type { BundleContents } from '../bundles/bundle-contents.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { writeSubscriptions } from '../namespaces/write-subscriptions.js';
import { observeAgain, readProblem, type SolutionDeps, solveAnew } from './current-problem.js';
import { reportGroupCount } from './group-count.js';
import { makePlan, type PlanDeps, planFailure } from './make-plan.js';
import { askingFor, planTurn } from './plan-turn.js';
import { reportHeld, reportUnpackFailure } from './report-unpack-failure.js';
import { reportLeftOut, resolutionWarning } from './resolution-events.js';
import type { FailedProblem, ResolvedProblem, SolutionCheck } from './solution-check.js';
import { surroundingsOf } from './subscription.stage.js';
import { unpackBundles } from './unpack-bundles.js';
import { type HeldSubscriptions, usablePart } from './usable-part.js';

type ResolutionDeps = SolutionDeps &
  PlanDeps &
  Readonly<{
    check: SolutionCheck;
    contents: BundleContents;
    /** Time limit for the bundles of one resolution, in milliseconds. 0: no limit. */
    unpackTimeoutMs: number;
  }>;

/**
 * OLM retries a failed unpack after five minutes (spec: subscriptions.md §2.7); a pull that
 * failed is retried sooner.
 */
const FETCH_AGAIN_MS = 15_000;

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
    if (group === undefined || others.length > 0) return reportGroupCount(input);
    const unpack = unpackSettings(group);
    if ('error' in unpack) {
      return perform(input, [resolutionWarning(read.namespace, `${unpack.error}: nothing is resolved`)]);
    }
    if (!needsResolution(read.subscriptions)) return AT_REST;
    const againAfterMs = untilUpgraded(input);
    if (againAfterMs !== undefined) return waitFor('an upgrade that is under way', againAfterMs);
    return followSolution(deps, input, unpack);
  };

/** Acts on the solution of the observed problem. Requests another observation if it does not fit. */
async function followSolution(
  deps: ResolutionDeps,
  input: NamespaceStageInput,
  unpack: UnpackSettings,
): Promise<StageOutcome> {
  const observed = await readProblem(deps, input);
  if (observed === undefined) return observeAgain(deps, input);
  const { hash } = observed;
  const solution = await deps.observed.solution(input, hash);
  if (solution === undefined) return AT_REST;
  const change = changeOf({ cluster: input.client.cluster, namespace: input.read.namespace }, hash);
  const changing = { ...input, change };
  if (solution.result !== 'resolved') return reportFailure(deps, changing, { ...observed, solution });
  return install(deps, changing, { ...observed, solution }, unpack);
}

const untilUpgraded = ({ read, now }: NamespaceStageInput): number | undefined =>
  surroundingsOf(read).failForward ? undefined : upgradeUnderWayMs(read.csvs, read.installPlans, now);

async function reportFailure(
  deps: ResolutionDeps,
  input: NamespaceStageInput,
  failed: FailedProblem,
): Promise<StageOutcome> {
  const { log, check } = deps;
  const where = { cluster: input.client.cluster, namespace: input.read.namespace };
  const resolution = await check.admitFailure(where, failed);
  if (resolution === undefined) {
    await solveAnew(deps, input);
    return AT_REST;
  }
  const reported = await conclude(input, { effect: 'failed', resolution });
  if (!reported.moved) return reported;
  const { namespace } = input.read;
  const { message, advice } = resolution;
  log.warn({ ...where, change: input.change, message }, 'resolution failed');
  await perform(input, [resolutionWarning(namespace, `${message}. ${advice}`)]);
  return reported;
}

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
  await reportLeftOut(input, resolution);
  if (resolution.subscriptionsUpdated.length === 0) return conclude(input, { effect: 'settled', resolution });
  if (!(await deps.check.admit({ cluster: input.client.cluster, namespace: read.namespace }, solved))) {
    await solveAnew(deps, input);
    return AT_REST;
  }
  const { timeoutMs = deps.unpackTimeoutMs, minRetryMs = FETCH_AGAIN_MS } = unpack;
  const turn = planTurn(input, resolution, minRetryMs);
  if ('pauseMs' in turn) return waitFor('the next try to unpack bundles', turn.pauseMs);
  const { part } = turn;
  if (part === undefined) return conclude(input, { effect: 'settled', resolution });
  const asking = askingFor(part, input);
  const wanted = bundlesToInstall(part.resolution);
  const unpacked = await unpackBundles(deps.contents, input, { wanted, subscriptions: asking, timeoutMs });
  if ('outcome' in unpacked) return unpacked.outcome;
  const { fetched } = unpacked;
  if ('effect' in fetched) return reportUnpackFailure(input, asking, fetched, minRetryMs);
  const usable = usablePart(part.resolution, fetched, read);
  const held = await reportHeld(input, usable.held, minRetryMs);
  const { resolution: rest, bundles } = usable;
  if (held !== undefined && rest.subscriptionsUpdated.length === 0) return held;
  if (!(await areSubscriptionsCurrent(input))) {
    input.reader.doubtAll();
    return MOVED;
  }
  const going = { resolution: rest, subscriptions: without(asking, usable.held), bundles };
  const made = await makePlan(deps, input, going).catch((error: unknown) => planFailure(input, error));
  if ('effect' in made) return reportUnpackFailure(input, going.subscriptions, made, minRetryMs);
  const { plan } = made;
  const others = without(read.subscriptions, usable.held);
  const at = input.now.toISOString();
  if (plan === undefined) {
    return writeSubscriptions(input, applyResolution(others, { effect: 'settled', resolution: rest }, at));
  }
  const leftOut = new Map([...bundles].map(([name, content]) => [name, content.leftOut]));
  return writeSubscriptions(input, applyPlanned(others, { resolution: rest, plan, leftOut }, at));
}

const without = (subscriptions: readonly Subscription[], held: readonly HeldSubscriptions[]) =>
  subscriptions.filter(({ metadata }) => !held.some((one) => one.subscriptions.includes(metadata.name ?? '')));

/**
 * True if the API server has the same Subscriptions as the pass has read. A plan cannot be rolled back, so
 * Subscriptions from the cache are read live once more before it is made.
 */
async function areSubscriptionsCurrent({ client, read, reader }: NamespaceStageInput): Promise<boolean> {
  if (reader.live) return true;
  const found = await client.list<Subscription>(SUBSCRIPTION_API, { namespace: read.namespace });
  const specs = (subscriptions: readonly Subscription[]) =>
    canonicalJson(Object.fromEntries(subscriptions.map(({ metadata, spec }) => [metadata.name ?? '', spec])));
  return specs(found?.items ?? []) === specs(read.subscriptions);
}

const conclude = (input: NamespaceStageInput, effect: ResolutionEffect): Promise<StageOutcome> =>
  writeSubscriptions(input, applyResolution(input.read.subscriptions, effect, input.now.toISOString()));
