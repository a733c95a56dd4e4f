import type { ApiObject } from '../objects/api-object.js';
import type { StatusCause } from '../objects/refusal.js';
import type { ClusterState } from '../state/cluster-state.js';

/** Behaviour of one built-in kind in addition to the rules all kinds share. */
export type KindStrategy = Readonly<{
  /** Sets the defaults of decoding: the writer owns these fields. */
  defaults?: (object: ApiObject) => ApiObject;
  /** Sets the server's own fields: no manager owns them. `live` is undefined for a new object. */
  prepare?: (object: ApiObject, live: ApiObject | undefined, cluster: ClusterState) => ApiObject;
  validate?: (object: ApiObject, live: ApiObject | undefined) => readonly StatusCause[];
  /** Returns the object after its mark for deletion. Set if deletion always takes two steps. */
  markDeleted?: (live: ApiObject) => ApiObject;
  /** True if something but metadata.finalizers still keeps a marked object. */
  held?: (object: ApiObject) => boolean;
  /** True if a PUT must carry the resourceVersion it was made from. */
  conditionalUpdates?: boolean;
}>;
