import type { Clock } from '#platform/clock/clock.port';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { type ClusterReads, PassReader } from '../../engine/pass-reader.js';
import { DecidedOnCache } from '../../engine/perform.js';
import { isRefusal } from '../../engine/refusal.js';
import { readNamespace } from './namespace-read.js';
import { type Stage, type StageInput, type StageOutcome, sooner } from './stage.js';

/** More rounds than any install needs: what still moves after these goes to the back of the queue, so that others get a turn. */
const MAX_ROUNDS = 40;
const FIGHT_PAUSE_MS = 5_000;

/** The namespace of a cluster; `client` writes there, `reads` may be shared with other passes. */
export type Place = Readonly<{
  client: KubeClient;
  reads: ClusterReads;
  namespace: string;
  globalCatalogNamespace: string;
}>;

/** `refused`: what the API server would not have, though everything else was done. */
export type ReconcileOutcome = Readonly<{ rounds: number; againAfterMs?: number | undefined; refused?: KubeApiError }>;

/**
 * Does all that is next in one namespace: reads it, runs the stages in order, and starts over whenever one of them wrote
 * something. Ends when a whole round moved nothing. May be killed anywhere and run again. What the API server refuses to
 * one stage does not hold up the others.
 *
 * @throws KubeApiError what was refused, when nothing else asks for another look
 */
export async function reconcileNamespace(
  { client, reads, namespace, globalCatalogNamespace }: Place,
  stages: readonly Stage[],
  clock: Clock,
  signal: AbortSignal,
  patience = new Patience(),
): Promise<ReconcileOutcome> {
  const reader = new PassReader(reads);
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds += 1) {
    reader.turn(clock.now());
    const read = await readNamespace(reader, namespace, globalCatalogNamespace);
    const outcome = await round(stages, () => ({ client, read, reader, now: clock.now(), signal, patience }));
    if (signal.aborted) return { rounds, againAfterMs: 0 };
    if (outcome.moved) continue;
    const { againAfterMs, refused } = outcome;
    if (refused === undefined) return { rounds, againAfterMs };
    if (againAfterMs === undefined) throw refused;
    return { rounds, againAfterMs, refused };
  }
  // So much still moves only when somebody undoes what is done here (an OLM in the cluster, say): no race with that.
  return { rounds: MAX_ROUNDS, againAfterMs: FIGHT_PAUSE_MS };
}

type RoundOutcome = StageOutcome & Readonly<{ refused?: KubeApiError }>;

/** The stages in order, up to the first that moved something. */
async function round(stages: readonly Stage[], input: () => StageInput): Promise<RoundOutcome> {
  let againAfterMs: number | undefined;
  let refused: KubeApiError | undefined;
  for (const stage of stages) {
    const now = input();
    if (now.signal.aborted) break;
    const outcome = await tried(stage, now);
    againAfterMs = sooner(againAfterMs, outcome.againAfterMs);
    refused ??= outcome.refused;
    if (outcome.moved) return { moved: true, againAfterMs };
  }
  return { moved: false, againAfterMs, ...(refused === undefined ? {} : { refused }) };
}

/**
 * Somebody else wrote first, or what is to be deleted must be seen with our own eyes: what was read is old, and the next
 * round asks the API server. A server that is away is the queue's to retry.
 */
async function tried(stage: Stage, input: StageInput): Promise<RoundOutcome> {
  try {
    return await stage(input);
  } catch (error) {
    if (isBehind(error, input.reader)) {
      input.reader.doubtAll();
      return { moved: true };
    }
    if (isRefusal(error)) return { moved: false, refused: error };
    throw error;
  }
}

const isBehind = (error: unknown, { mayHaveLost }: PassReader): boolean =>
  error instanceof DecidedOnCache ||
  KubeApiError.is(error, 'Conflict') ||
  (mayHaveLost && KubeApiError.is(error, 'NotFound'));
