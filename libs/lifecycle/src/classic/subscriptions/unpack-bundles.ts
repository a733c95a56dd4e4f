import type { ChosenBundle } from '#core/classic/resolution/problem/resolution-problem';
import { applyResolution, type ResolutionEffect } from '#core/classic/subscription/apply-resolution';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { StageOutcome } from '../../engine/passes/stage.js';
import { type BundleContents, FETCHED_AFTER_MS, UNPACKING_FAILED } from '../bundles/bundle-contents.js';
import { type FetchedBundles, fetchBundles } from '../bundles/fetch-bundles.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { writeSubscriptions } from '../namespaces/write-subscriptions.js';

export type UnpackFailure = Extract<ResolutionEffect, { effect: 'unpackFailed' }>;

/** `outcome`: they are still being fetched, and the stage ends with this. */
type Unpacked = Readonly<{ fetched: FetchedBundles | UnpackFailure }> | Readonly<{ outcome: StageOutcome }>;

/** Bundles to fetch, their owner, and the time limit (0: no limit). */
type Unpacking = Readonly<{
  wanted: readonly ChosenBundle[];
  /** The Subscriptions that wait for it. */
  subscriptions: NamespaceStageInput['read']['subscriptions'];
  timeoutMs: number;
}>;

/**
 * Fetches the bundles. If that takes longer than the pass may wait, the Subscriptions report it as under way,
 * and a later pass has the bundles. Spec: subscriptions.md §2.7.
 */
export async function unpackBundles(
  contents: BundleContents,
  input: NamespaceStageInput,
  { wanted, subscriptions, timeoutMs }: Unpacking,
): Promise<Unpacked> {
  const fetched = await fetchBundles(contents, input, wanted, timeoutMs).catch(failedFetch);
  if (!('stillFetching' in fetched)) return { fetched };
  const message = `fetching ${fetched.stillFetching.join(', ')}`;
  const changes = applyResolution(subscriptions, { effect: 'unpacking', message }, input.now.toISOString());
  const { moved } = await writeSubscriptions(input, changes);
  return { outcome: { moved, waitsFor: message, againAfterMs: FETCHED_AFTER_MS } };
}

/**
 * Errors of our own concern the bundle or its registry: they are reported on the Subscriptions. Others
 * are the queue's to retry.
 */
function failedFetch(error: unknown): UnpackFailure {
  if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
  return unpackFailure(error.message);
}

/** OLM's reason and words for a bundle that could not be fetched or read (spec: subscriptions.md §2.7). */
export const unpackFailure = (why: string): UnpackFailure => ({
  effect: 'unpackFailed',
  reason: 'BundleUnpackFailed',
  message: `${UNPACKING_FAILED}${why}`,
});
