/** Entries of `history` that are kept, and read. */
export const LONGEST_HISTORY = 5_000;

/**
 * Keys of the read model in Redis. Rows of a cluster: a hash from id to JSON, named in the set `clusters`.
 * `stream`: entries with `cluster` and `id`, one for each row that changed or is gone, written together with
 * the row, `MAXLEN ~ 50000`. `epoch`: a random text, written before the first row if it is missing.
 * `rollouts`: JSON of the fleet's rollouts, for a minute.
 * `hub`: a hash from instance to JSON. `history`: a list of JSON, the newest first. `history-since`: when the
 * first row was written.
 */
export const viewKeys = (prefix: string) =>
  ({
    epoch: `${prefix}:view:epoch`,
    clusters: `${prefix}:view:clusters`,
    rows: (cluster: string) => `${prefix}:view:rows:${cluster}`,
    stream: `${prefix}:view:stream`,
    hub: `${prefix}:view:hub`,
    rollouts: `${prefix}:view:rollouts`,
    history: `${prefix}:view:history`,
    historySince: `${prefix}:view:history-since`,
  }) as const;
