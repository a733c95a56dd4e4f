import type { Action } from '#core/kernel/actions/action';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { KubeApiError, type KubeClient, type Written } from '../client/kube-client.port.js';
import { withoutManagedFields } from '../client/managed-fields.js';
import { EVENT_COMPONENT, recordEvent } from './record-event.js';
import { applyWouldChange, patchWouldChange } from './would-change.js';

type PerformOptions = Readonly<{
  /**
   * The object as this pass has read it; a write that would change nothing in it is left out. Without it
   * every write is sent, and the server finds out.
   */
  known?: (ref: ObjectRef) => KubernetesObject | undefined;
  /** The component that the Events name as their source. */
  component?: string;
  /** The change that the Events are part of. */
  change?: string | undefined;
  /** The manager of the client's applies, to compare ownership. */
  fieldManager?: string;
  signal?: AbortSignal;
}>;

type PerformWarning = Readonly<{ action: Action; text: string }>;

type Performed = Readonly<{
  /** Objects that were created, changed or deleted; Events are not counted. */
  wrote: number;
  /** Warnings of the API server, and Events that could not be written. */
  warnings: readonly PerformWarning[];
  /** The API server's answers to the actions: each object as it is stored now. */
  written: readonly KubernetesObject[];
  /**
   * Actions after which their objects are not known: deletions, Events, creations that met an object, and
   * failures.
   */
  unseen: readonly Action[];
}>;

/** `ok: false` names the action that failed; those after it were not tried. */
export type PerformOutcome = Performed &
  (Readonly<{ ok: true }> | Readonly<{ ok: false; action: Action; index: number; error: KubeApiError }>);

type Progress = {
  wrote: number;
  warnings: PerformWarning[];
  written: KubernetesObject[];
  unseen: Action[];
};
type Context = Readonly<{ client: KubeClient; now: Date; options: PerformOptions }>;

/**
 * Performs actions in order and stops at the first that fails. Everything that was reached already (created,
 * deleted, unchanged) counts as done, so that the same actions may be performed again.
 */
export async function performActions(
  client: KubeClient,
  actions: readonly Action[],
  now: Date,
  options: PerformOptions = {},
): Promise<PerformOutcome> {
  const progress: Progress = { wrote: 0, warnings: [], written: [], unseen: [] };
  for (const [index, action] of actions.entries()) {
    options.signal?.throwIfAborted();
    try {
      await perform({ client, now, options }, action, progress);
    } catch (error) {
      if (!KubeApiError.is(error)) throw error;
      progress.unseen.push(action);
      return { ok: false, action, index, error, ...progress };
    }
  }
  return { ok: true, ...progress };
}

async function perform(context: Context, action: Action, progress: Progress): Promise<void> {
  const { client, options } = context;
  switch (action.do) {
    case 'create':
      return noteWrite(progress, action, undefined, await createUnlessThere(client, action.object));
    case 'delete':
      return remove(client, action, progress);
    case 'emitEvent':
      progress.unseen.push(action);
      return emit(context, action, progress);
    default: {
      const known = options.known?.(action.do === 'patch' ? action.ref : refOf(action.object));
      if (known !== undefined && !wouldChange(known, action, options)) return;
      return noteWrite(progress, action, known, await send(client, action));
    }
  }
}

/** An object that its finalizers keep is known from the answer. */
async function remove(
  client: KubeClient,
  action: Extract<Action, { do: 'delete' }>,
  progress: Progress,
): Promise<void> {
  const { ref, propagation, uid, resourceVersion } = action;
  const held: KubernetesObject[] = [];
  const there = await client.delete(ref, {
    propagation,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    onHeld: (object) => held.push(object),
  });
  progress.wrote += there ? 1 : 0;
  if (held.length === 0) progress.unseen.push(action);
  progress.written.push(...held);
}

type Change = Extract<Action, { do: 'update' | 'updateStatus' | 'apply' | 'patch' }>;

function wouldChange(known: KubernetesObject, action: Change, { fieldManager }: PerformOptions): boolean {
  switch (action.do) {
    case 'update':
      return !sameJson(withoutManagedFields(known), withoutManagedFields(action.object));
    case 'updateStatus':
      return !sameJson(known['status'] ?? null, action.object['status'] ?? null);
    case 'patch':
      return patchWouldChange(known, action.patch);
    case 'apply':
      return fieldManager === undefined || applyWouldChange(known, action.object, fieldManager);
  }
}

function send(client: KubeClient, action: Change): Promise<Written<KubernetesObject>> {
  switch (action.do) {
    case 'update':
      return client.update(withoutManagedFields(action.object));
    case 'updateStatus':
      return client.updateStatus(withoutManagedFields(action.object));
    case 'patch':
      return client.patch(action.ref, action.patch);
    case 'apply':
      return client.apply(action.object);
  }
}

async function createUnlessThere(
  client: KubeClient,
  object: KubernetesObject,
): Promise<Written<KubernetesObject> | undefined> {
  try {
    return await client.create(object);
  } catch (error) {
    if (KubeApiError.is(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

/** An answer with the resourceVersion that was sent, or was known, says that the write changed nothing. */
function noteWrite(
  progress: Progress,
  action: Action,
  known: KubernetesObject | undefined,
  written: Written<KubernetesObject> | undefined,
): void {
  if (written === undefined) {
    progress.unseen.push(action);
    return;
  }
  progress.written.push(written.object);
  const sent = action.do === 'update' || action.do === 'updateStatus' ? action.object : known;
  const before = sent?.metadata.resourceVersion;
  if (before === undefined || before !== written.object.metadata.resourceVersion) progress.wrote += 1;
  for (const text of written.warnings) progress.warnings.push({ action, text });
}

/**
 * An Event only informs users; a failure to write it (in a namespace that is being deleted,
 * say) must not stop the work.
 */
async function emit(
  { client, now, options }: Context,
  action: Extract<Action, { do: 'emitEvent' }>,
  progress: Progress,
): Promise<void> {
  try {
    const { component = EVENT_COMPONENT, change } = options;
    await recordEvent(client, action, { component, change }, now);
  } catch (error) {
    if (!KubeApiError.is(error)) throw error;
    progress.warnings.push({ action, text: `the event ${action.reason} could not be written: ${error.message}` });
  }
}
