import type { KubernetesObject, ObjectRef } from '../api/kubernetes-object.js';

/**
 * A change that a decision requests for one cluster, as data. The shell performs actions in order and stops
 * at the first that fails. A pass may be repeated from its start, so each action is safe to do twice.
 */
export type Action =
  /** POST. An object of that name that is there already is not an error. */
  | Readonly<{ do: 'create'; object: KubernetesObject }>
  /** PUT of the whole object; carries the resourceVersion that was read (optimistic lock). */
  | Readonly<{ do: 'update'; object: KubernetesObject }>
  /** PUT of the status subresource; carries the resourceVersion that was read (optimistic lock). */
  | Readonly<{ do: 'updateStatus'; object: KubernetesObject }>
  /** Server-side apply with our field manager, ownership forced. */
  | Readonly<{ do: 'apply'; object: KubernetesObject }>
  /** JSON merge patch; with `resourceVersion` inside `patch.metadata` it is an optimistic lock. */
  | Readonly<{ do: 'patch'; ref: ObjectRef; patch: Readonly<Record<string, unknown>> }>
  /**
   * DELETE. An object that is already gone is not an error. With `resourceVersion` it is locked: the decision
   * depends on the object as it was read, and on facts that can no longer change.
   */
  | Readonly<{
      do: 'delete';
      ref: ObjectRef;
      propagation: 'Background' | 'Foreground' | 'Orphan';
      uid?: string | undefined;
      resourceVersion?: string | undefined;
    }>
  /** A Kubernetes Event about `about`, or about the part of it that `fieldPath` names. */
  | Readonly<{
      do: 'emitEvent';
      about: ObjectRef & { uid?: string | undefined; fieldPath?: string };
      type: 'Normal' | 'Warning';
      reason: string;
      message: string;
    }>;
