import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KubeApiError } from '#platform/kube/client/kube-client.port';
import { type PerformOutcome, performActions } from '#platform/kube/write/perform-actions';
import { namingWebhook, refusalEvents } from './name-webhook.js';
import type { RoundInput, StageOutcome } from './stage.js';

/** An irreversible decision was made on the cache, which may lag: it must be made again on live reads. */
export class DecidedOnCache extends Error {
  constructor(what = 'a deletion') {
    super(`${what} is decided on live reads alone`);
  }
}

/**
 * Requires live reads for a decision.
 * @throws DecidedOnCache if this pass may have read the cache
 */
export function requireLive({ reader }: Pick<RoundInput, 'reader'>, what: string): void {
  if (!reader.live || reader.isOutdated) throw new DecidedOnCache(what);
}

/**
 * Performs a decision's actions. Skips a write that would not change the object as this pass has read it. A
 * refusal is an outcome.
 */
export async function tryActions(
  { client, reader, now, signal, change }: RoundInput,
  actions: readonly Action[],
  known: readonly KubernetesObject[] = [],
): Promise<PerformOutcome> {
  if (reader.isOutdated) throw new DecidedOnCache('what is done in a cluster that went back');
  if (!reader.live && actions.some(isUnlockedDeletion)) throw new DecidedOnCache();
  const outcome = await performActions(client, actions, now, {
    known: (ref) => known.find(isAbout(ref)),
    signal,
    change,
  });
  for (const object of outcome.written) reader.noteWritten(object);
  const failed = outcome.ok ? undefined : outcome.action;
  for (const action of outcome.unseen) {
    if (action.do === 'delete' && action !== failed) reader.noteDeleted(action.ref);
    else reader.forgetAbout([action]);
  }
  return outcome.ok ? outcome : { ...outcome, error: await namingWebhook(reader, outcome.error) };
}

/** The API server refuses a locked deletion of an object that has changed (decision 0162). */
const isUnlockedDeletion = (action: Action): boolean => action.do === 'delete' && action.resourceVersion === undefined;

/**
 * Like {@link tryActions}, but a refusal ends the pass. A Conflict lets it start over from a fresh read. No
 * status reports the refusal, so an Event does if a webhook refused, or the hub lacks the right.
 */
export async function perform(
  input: RoundInput,
  actions: readonly Action[],
  known: readonly KubernetesObject[] = [],
): Promise<StageOutcome> {
  const outcome = await tryActions(input, actions, known);
  if (!outcome.ok) {
    await reportRefusal(input, outcome.action, outcome.error);
    throw outcome.error;
  }
  return { moved: outcome.wrote > 0 };
}

/** Emits an Event about a write that was refused, and that nothing else reports. */
export async function reportRefusal(input: RoundInput, action: Action, error: KubeApiError): Promise<void> {
  await tryActions(input, refusalEvents(action, error));
}

/** Writes an object's status, unless it is the same already. */
export const writeStatus = <T extends KubernetesObject>(
  input: RoundInput,
  object: T,
  status: unknown,
): Promise<StageOutcome> => perform(input, [{ do: 'updateStatus', object: { ...object, status } }], [object]);

const isAbout =
  (ref: ObjectRef) =>
  ({ kind, metadata }: KubernetesObject): boolean =>
    kind === ref.kind && metadata.name === ref.name && (metadata.namespace ?? '') === (ref.namespace ?? '');
