/** `moved`: to a process that has less to do, or since this one ends. `taken`: its lease had ended. */
export type ShardLoss = 'moved' | 'taken';

/** Does work for the shards that the process owns. */
export type ShardFollower = Readonly<{
  /** Begins the work. */
  gained(shard: number): void;
  /**
   * Ends the work; never rejects. A shard that is moved stays with the process until this has resolved; for
   * one that was taken nothing may be written any more.
   */
  lost(shard: number, how: ShardLoss): Promise<void>;
}>;

/** The shards that this process works for, from now on. */
export type ShardSource = Readonly<{
  /** Has the follower do its work for the shards of the process, those that it owns now included. */
  follow(follower: ShardFollower): void;
}>;
