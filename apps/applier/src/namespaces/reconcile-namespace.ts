import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { readNamespace } from './namespace-read.js';
import { PassReader } from './pass-reader.js';
import { MOVED, type Stage, type StageOutcome, sooner } from './stage.js';

/** More rounds than any install needs: what still moves after these goes to the back of the queue, so that others get a turn. */
const MAX_ROUNDS = 40;

export type ReconcileOutcome = Readonly<{ rounds: number; againAfterMs?: number | undefined }>;

/**
 * Does all that is next in one namespace: reads it, runs the stages in order, and starts over with a fresh read whenever
 * one of them wrote something. Ends when a whole round moved nothing. May be killed anywhere and run again.
 */
export async function reconcileNamespace(
  client: KubeClient,
  namespace: string,
  globalCatalogNamespace: string,
  stages: readonly Stage[],
  clock: Clock,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds += 1) {
    const read = await readNamespace(client, namespace, globalCatalogNamespace);
    const reader = new PassReader(client);
    let againAfterMs: number | undefined;
    let moved = false;
    for (const stage of stages) {
      if (signal.aborted) return { rounds, againAfterMs: 0 };
      const outcome = await stage({ client, read, reader, now: clock.now(), signal }).catch(startOver);
      againAfterMs = sooner(againAfterMs, outcome.againAfterMs);
      moved = outcome.moved;
      if (moved) break;
    }
    if (!moved) return { rounds, againAfterMs };
  }
  return { rounds: MAX_ROUNDS, againAfterMs: 0 };
}

/** Somebody else wrote first: what was read is old, so the next round reads anew. Everything else is the queue's to retry. */
function startOver(error: unknown): StageOutcome {
  if (KubeApiError.is(error, 'Conflict')) return MOVED;
  throw error;
}
