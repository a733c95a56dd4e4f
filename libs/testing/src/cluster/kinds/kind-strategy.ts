import type { ApiObject } from '../objects/api-object.js';
import type { StatusCause } from '../objects/refusal.js';
import type { ClusterState } from '../state/cluster-state.js';

/** What one built-in kind does besides the rules all kinds share. */
export type KindStrategy = Readonly<{
  /** What decoding sets: the writer owns these fields. */
  defaults?: (object: ApiObject) => ApiObject;
  /** What the server sets on its own account: no manager owns it. `live` is undefined for a new object. */
  prepare?: (object: ApiObject, live: ApiObject | undefined, cluster: ClusterState) => ApiObject;
  validate?: (object: ApiObject, live: ApiObject | undefined) => readonly StatusCause[];
  /** Given where deletion is always in two steps: the object once it is marked. */
  markDeleted?: (live: ApiObject) => ApiObject;
  /** Whether something but metadata.finalizers still keeps a marked object. */
  held?: (object: ApiObject) => boolean;
  /** Whether a PUT must carry the resourceVersion it was made from. */
  conditionalUpdates?: boolean;
}>;
