/**
 * Usage: `applyResolution(subscriptions, effect, now)` after a resolution was answered or acted upon; write
 * the ones that changed. `effect` is its progress.
 */

import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { counted } from '../../kernel/text/counted.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import type { Resolution } from '../resolution/problem/resolution-problem.js';
import { movedTo } from './bookkeep-subscription.js';
import { withPlanConditions } from './install-plan-conditions.js';
import {
  changeTo,
  type SubscriptionChange,
  statusOf,
  type WantedCondition,
  withCondition,
  withoutConditions,
} from './subscription-change.js';
import { type SubscriptionConditionType } from './subscription-conditions.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** Progress of a resolution of the namespace. */
export type ResolutionEffect =
  /** No answer: reported on every Subscription of the namespace. */
  | Readonly<{ effect: 'failed'; resolution: Exclude<Resolution, Resolved> }>
  /** Nothing to install. `resolution` is set if Subscriptions were left out. */
  | Readonly<{ effect: 'settled'; resolution?: Resolved }>
  /** Bundles are being fetched. `message` is set if there is something to report. */
  | Readonly<{ effect: 'unpacking'; message?: string }>
  /** Bundles cannot be fetched, read or turned into steps (spec: subscriptions.md §2.7, §2.8). */
  | Readonly<{
      effect: 'unpackFailed';
      reason: 'ErrorPreventedUnpacking' | 'BundleUnpackFailed' | 'EnsureInstallPlanFailed';
      message: string;
    }>
  /** The plan exists, as read from or answered by the API server. */
  | Readonly<{ effect: 'planned'; resolution: Resolved; plan: InstallPlan; leftOut?: LeftOutOfBundles }>;

/** Parts of manifests that no install can read, one line each, by bundle. */
type LeftOutOfBundles = ReadonlyMap<string, readonly string[]>;

const RESOLUTION_FAILED = 'ResolutionFailed';
const UNPACKING = 'BundleUnpacking';
const UNPACK_FAILED = 'BundleUnpackFailed';
export const BUNDLE_INCOMPLETE = 'BundleIncomplete';

const holds = (type: SubscriptionConditionType, reason: string, message = ''): WantedCondition => ({
  type,
  status: 'True',
  reason,
  ...(message === '' ? {} : { message }),
});

function planned(
  subscription: Subscription,
  status: SubscriptionStatus,
  { resolution, plan, leftOut }: Extract<ResolutionEffect, { effect: 'planned' }>,
): SubscriptionStatus {
  const move = resolution.subscriptionsUpdated.find(({ name }) => name === subscription.metadata.name);
  if (move === undefined) return status;
  const moved = movedTo(status, plan, move.currentCSV);
  const lines = leftOut?.get(move.currentCSV) ?? [];
  if (lines.length === 0) return withoutConditions(moved, [BUNDLE_INCOMPLETE]);
  return withCondition(moved, holds(BUNDLE_INCOMPLETE, 'FilesLeftOut', incompleteText(move.currentCSV, lines)), '');
}

function incompleteText(bundle: string, [first = '', ...others]: readonly string[]): string {
  return verdictLine([bundle], others.length === 0 ? first : `${first} (and ${counted(others.length, 'more file')})`);
}

function after(subscription: Subscription, effect: ResolutionEffect, now: string): SubscriptionStatus {
  const status = statusOf(subscription);
  switch (effect.effect) {
    case 'failed': {
      const unsatisfiable = effect.resolution.result === 'unsatisfiable';
      const reason = unsatisfiable ? 'ConstraintsNotSatisfiable' : 'ErrorPreventedResolution';
      return withCondition(status, holds(RESOLUTION_FAILED, reason, effect.resolution.message), now);
    }
    case 'unpacking':
      return withCondition(status, holds(UNPACKING, 'UnpackingInProgress', effect.message), now);
    case 'unpackFailed': {
      const stopped = withoutConditions(status, [UNPACKING]);
      return withCondition(stopped, holds(UNPACK_FAILED, effect.reason, effect.message), now);
    }
    case 'settled':
      return resolved(subscription, effect.resolution, now);
    case 'planned':
      return planned(subscription, resolved(subscription, effect.resolution, now), effect);
  }
}

/**
 * The status after a success; with isolation a Subscription that was left out of it keeps its own failure.
 */
function resolved(subscription: Subscription, resolution: Resolved | undefined, now: string): SubscriptionStatus {
  const leftOut = unresolvedReason(subscription, resolution);
  const settled = [UNPACKING, UNPACK_FAILED, ...(leftOut === undefined ? [RESOLUTION_FAILED] : [])];
  const status = withoutConditions(statusOf(subscription), settled);
  return leftOut === undefined
    ? status
    : withCondition(status, holds(RESOLUTION_FAILED, leftOut.reason, leftOut.message), now);
}

const unresolvedReason = ({ metadata }: Subscription, resolution: Resolved | undefined) =>
  resolution?.unresolved?.find(({ kind, name }) => kind === 'subscription' && name === metadata.name);

/**
 * The statuses of all Subscriptions of a namespace after a resolution. After a success all three conditions
 * go, from every Subscription (OLM forgets BundleUnpacking on those it just moved). Spec:
 * subscriptions.md §2.6 – §2.9.
 */
export const applyResolution = (
  subscriptions: readonly Subscription[],
  effect: ResolutionEffect,
  now: string,
): SubscriptionChange[] =>
  subscriptions.map((subscription) => changeTo(subscription, after(subscription, effect, now), now));

/**
 * Same as {@link applyResolution} once the plan exists, with the condition on the plan in the same write:
 * OLM's next sync writes it a moment later (spec: subscriptions.md §4; why: classic.md "The condition of a
 * new plan comes with its reference").
 */
export const applyPlanned = (
  subscriptions: readonly Subscription[],
  planned: Omit<Extract<ResolutionEffect, { effect: 'planned' }>, 'effect'>,
  now: string,
): SubscriptionChange[] =>
  applyResolution(subscriptions, { effect: 'planned', ...planned }, now).map((change) => {
    if (change.status.installPlanRef?.name !== planned.plan.metadata.name) return change;
    const { status } = withPlanConditions({ ...change.subscription, status: change.status }, planned.plan, now);
    return changeTo(change.subscription, status, now);
  });
