/** One shard that a process owns. */
export type Lease = Readonly<{
  owner: string;
  /** Greater than those of all earlier leases of the shard: a lower one is an earlier owner's. */
  fence: number;
  /** Milliseconds until the lease ends, unless its owner renews it. */
  leftMs: number;
}>;

/** All leases, at the moment of an exchange. */
export type LeaseTable = Readonly<{
  /** Another one: the leases were lost, since the store was emptied. */
  epoch: string;
  /** The processes that may own shards, with the milliseconds until each counts as dead. */
  members: ReadonlyMap<string, number>;
  /** Leases by shard; a shard without one is free. */
  leases: ReadonlyMap<number, Lease>;
}>;

export type LeaseRequest = Readonly<{
  /** The name of the process. No other process ever has it. */
  member: string;
  /**
   * The process is about to end: it wants the shards that it still holds, and must not be assigned others.
   */
  ending: boolean;
  /** All shards that the process wants to own: those it has, and those it would take. */
  wanted: readonly number[];
  /** How long a lease lasts that is not renewed. */
  leaseMs: number;
}>;

/**
 * The owners of shards, for the processes of one kind. A shard has one owner at most, until the store behind
 * it is emptied. Then owners take their leases again, and for a moment a shard may have two.
 */
export abstract class Leases {
  /**
   * Does in one step: the process is alive; it renews its leases of the wanted shards, takes free ones, and
   * gives up its others. Returns the leases afterwards.
   */
  abstract exchange(request: LeaseRequest): Promise<LeaseTable>;
}
