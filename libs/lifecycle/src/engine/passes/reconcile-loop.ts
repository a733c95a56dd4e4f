import type { Clock } from '#platform/clock/clock.port';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { type ClusterReads, PassReader } from './pass-reader.js';
import { DecidedOnCache } from './perform.js';
import { isRefusal } from './refusal.js';
import { AT_REST, joined, MOVED, type RoundInput, type Stage, type StageOutcome, type Wait } from './stage.js';

/**
 * A rollout of OLM v1 writes once or twice a phase, an install of OLM Classic less:
 * no pass needs more rounds.
 */
export const MOST_ROUNDS = 60;
/**
 * Pause of a subject that still moves after so many rounds, because another controller undoes the changes. It
 * goes to the back of the queue.
 */
const CONTESTED_PAUSE_MS = 5_000;

/**
 * Reconciles one subject. Kinds of subjects differ in their reads and in the list of stages. `client` writes;
 * `reads` may be shared with other passes.
 */
type ReconcilePass<R> = Readonly<{
  client: KubeClient;
  reads: ClusterReads;
  /** Returns undefined if the subject is gone. */
  read: (reader: PassReader) => Promise<R | undefined>;
  /** The stages of one round, in order. */
  stages: (read: R) => readonly Stage<R>[];
  /** Patience of the pass for work that continues without it. */
  patience?: Patience;
  /** True if a refusal ends the work on the subject without a retry. Absent: no refusal does. */
  isTheEnd?: (refusal: KubeApiError) => boolean;
}>;

/**
 * The outcome of a pass.
 * - `done`: nothing is left to do until something changes.
 * - `again`: after the pause; the pass was interrupted, or another controller undoes its writes.
 * - `waits`: for the named thing; reconciled again when an event comes, or after the pause.
 * - `refused`: the API server refused a write, and everything else is done; or it refused to read the
 *   object of the pass. Without a pause the queue decides when to retry.
 * - `failed`: the state of the rest is not known; the queue decides when to retry.
 */
export type PassOutcome = Readonly<{ rounds: number }> &
  (
    | Readonly<{ result: 'done' }>
    | Readonly<{ result: 'again'; againAfterMs: number }>
    | Readonly<{ result: 'waits'; waitsFor: string; againAfterMs?: number }>
    | Readonly<{ result: 'refused'; error: KubeApiError; againAfterMs?: number }>
    | Readonly<{ result: 'failed'; error: unknown }>
  );

/**
 * Returns the milliseconds after which the subject is reconciled again without an event, if at all.
 * @throws errors that the queue must retry
 */
export function pauseAfter(outcome: PassOutcome): number | undefined {
  if (outcome.result === 'failed') throw outcome.error;
  if (outcome.result === 'done') return undefined;
  if (outcome.result === 'refused' && outcome.againAfterMs === undefined) throw outcome.error;
  return outcome.againAfterMs;
}

/** The outcome of one round. */
type RoundOutcome = StageOutcome & Readonly<{ refused?: KubeApiError }>;

/**
 * Runs the stages in order, and starts over with a fresh read whenever a stage wrote something. Ends when a
 * whole round wrote nothing. It may be killed anywhere and run again. If the API server refuses the write of
 * one stage, the other stages still run.
 */
export async function reconcile<R>(pass: ReconcilePass<R>, clock: Clock, signal: AbortSignal): Promise<PassOutcome> {
  const { client, reads, patience = new Patience() } = pass;
  const reader = new PassReader(reads);
  let rounds = 1;
  try {
    for (; rounds <= MOST_ROUNDS; rounds += 1) {
      reader.turn(clock.now());
      const outcome = await round(pass, () => ({ client, reader, now: clock.now(), signal, patience }));
      if (signal.aborted) return { rounds, result: 'again', againAfterMs: 0 };
      if (!outcome.moved) return { rounds, ...concluded(outcome) };
    }
  } catch (error) {
    return isRefusal(error) ? { rounds, result: 'refused', error } : { rounds, result: 'failed', error };
  }
  return { rounds: MOST_ROUNDS, result: 'again', againAfterMs: CONTESTED_PAUSE_MS };
}

type Concluded = PassOutcome extends infer O ? (O extends PassOutcome ? Omit<O, 'rounds'> : never) : never;

/** Returns the outcome of a pass after a last round that wrote nothing. */
export function concluded({ refused, waitsFor, againAfterMs }: Wait & Pick<RoundOutcome, 'refused'>): Concluded {
  const pause = againAfterMs === undefined ? {} : { againAfterMs };
  if (refused !== undefined) return { result: 'refused', error: refused, ...pause };
  if (waitsFor !== undefined) return { result: 'waits', waitsFor, ...pause };
  return againAfterMs === undefined ? { result: 'done' } : { result: 'again', againAfterMs };
}

/** The stages in order, up to the first that wrote something. */
async function round<R>(pass: ReconcilePass<R>, input: () => RoundInput): Promise<RoundOutcome> {
  const { reader, signal } = input();
  const read = await pass.read(reader);
  if (read === undefined) return AT_REST;
  let outcome: StageOutcome = AT_REST;
  let refused: KubeApiError | undefined;
  for (const stage of pass.stages(read)) {
    if (signal.aborted) break;
    const { refused: refusal, ...did } = await tried(() => stage({ ...input(), read }), reader);
    outcome = joined(outcome, did);
    if (refusal !== undefined && pass.isTheEnd?.(refusal) !== true) refused ??= refusal;
    if (did.moved) return outcome;
  }
  return refused === undefined ? outcome : { ...outcome, refused };
}

/**
 * Runs a stage. If another client wrote first, or an object to delete must be read from the API server, the
 * reads are stale and the next round reads live. If the API server does not answer, the queue retries.
 */
async function tried(stage: () => Promise<StageOutcome>, reader: PassReader): Promise<RoundOutcome> {
  try {
    return await stage();
  } catch (error) {
    if (isBehind(error, reader)) {
      reader.doubtAll();
      return MOVED;
    }
    if (isRefusal(error)) return { moved: false, refused: error };
    throw error;
  }
}

const isBehind = (error: unknown, { mayHaveLost }: PassReader): boolean =>
  error instanceof DecidedOnCache ||
  KubeApiError.is(error, 'Conflict') ||
  (mayHaveLost && KubeApiError.is(error, 'NotFound'));
