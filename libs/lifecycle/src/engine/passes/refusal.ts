import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { AT_REST, joined, type StageOutcome } from './stage.js';

/** Reasons that concern the moment, or the whole API server. */
const OF_THE_MOMENT = ['Conflict', 'Unauthorized', 'TooManyRequests', 'ServiceUnavailable'];

/**
 * The API server understood the request and refused it: for want of rights, because a webhook denied
 * it or did not answer, because the object is invalid. That concerns this object alone, and the
 * others go on without it.
 */
export const isRefusal = (error: unknown): error is KubeApiError =>
  KubeApiError.is(error) && error.status >= 400 && !KubeApiError.is(error, ...OF_THE_MOMENT);

/**
 * Runs work on each item one after the other. A refusal of one does not stop the others. It is thrown after
 * the last one.
 */
export async function eachInTurn<T>(
  items: readonly T[],
  step: (item: T) => Promise<StageOutcome>,
): Promise<StageOutcome> {
  let outcome = AT_REST;
  let refusal: KubeApiError | undefined;
  for (const item of items) {
    try {
      outcome = joined(outcome, await step(item));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined && !outcome.moved) throw refusal;
  return outcome;
}
