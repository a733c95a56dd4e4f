import type { ChosenBundle } from '#core/classic/resolution/resolution-problem';
import { wishesOf } from '#core/classic/resolution/wishes';
import { applyResolution, type ResolutionEffect } from '#core/classic/subscription/apply-resolution';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { KubeApiError } from '#platform/kube/kube-client.port';
import type { BundleContents } from '../install-plans/bundle-contents.js';
import { readNamespace } from '../namespaces/namespace-read.js';
import type { StageInput } from '../namespaces/stage.js';
import { type FetchedBundles, fetchBundles } from './fetch-bundles.js';
import { writeChanges } from './subscription.stage.js';

/** What is fetched sooner is not worth a write. */
const TELL_AFTER_MS = 2_000;

export type UnpackFailure = Extract<ResolutionEffect, { effect: 'unpackFailed' }>;

/** `input`: the namespace as it is after the fetch. */
export type Unpacked = Readonly<{ input: StageInput; bundles: FetchedBundles | UnpackFailure }>;

/** What is to be fetched, for whom, and for how long (0: as long as it takes). */
export type Unpacking = Readonly<{
  wanted: readonly ChosenBundle[];
  /** The Subscriptions that wait for it. */
  subscriptions: StageInput['read']['subscriptions'];
  timeoutMs: number;
}>;

/**
 * Fetches the bundles; where that takes long, the Subscriptions say meanwhile that it is under way. Undefined where what
 * was wished changed on the way: the answer is for others then. Spec: subscriptions.md §2.7.
 */
export async function unpackBundles(
  contents: BundleContents,
  input: StageInput,
  { wanted, subscriptions, timeoutMs }: Unpacking,
): Promise<Unpacked | undefined> {
  let told: Promise<Telling> | undefined;
  const timer = setTimeout(() => {
    told = tellUnpacking(input, subscriptions, wanted);
  }, TELL_AFTER_MS);
  const bundles = await fetchBundles(contents, input, wanted, timeoutMs)
    .catch(failedFetch)
    .finally(() => clearTimeout(timer));
  if (told === undefined) return { input, bundles };
  const telling = await told;
  if ('failure' in telling) throw telling.failure;
  const { reader, read } = input;
  reader.forgetAll();
  const fresh = await readNamespace(reader, read.namespace, read.globalCatalogNamespace);
  if (canonicalJson(wishesOf(fresh)) !== canonicalJson(wishesOf(read))) return undefined;
  return { input: { ...input, read: fresh }, bundles };
}

type Telling = Readonly<{ done: true } | { failure: unknown }>;

/**
 * That it cannot be told must not stop the fetch; other failures are answered, not thrown: nobody waits for them before
 * the fetch is over, and a rejection that nobody waits for ends the process.
 */
async function tellUnpacking(
  input: StageInput,
  subscriptions: Unpacking['subscriptions'],
  wanted: readonly ChosenBundle[],
): Promise<Telling> {
  const message = `fetching ${wanted.map(({ name }) => name).join(', ')}`;
  const changes = applyResolution(subscriptions, { effect: 'unpacking', message }, input.now.toISOString());
  try {
    await writeChanges(input, changes);
    return { done: true };
  } catch (error) {
    return KubeApiError.is(error) ? { done: true } : { failure: error };
  }
}

/** Errors of our own kind speak of the bundle or its registry: told on the Subscriptions. Others are the queue's to retry. */
function failedFetch(error: unknown): UnpackFailure {
  if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
  return {
    effect: 'unpackFailed',
    reason: 'BundleUnpackFailed',
    message: `Bundle unpacking failed - ${error.message}`,
  };
}
