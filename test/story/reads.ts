/** The source of a cluster's state for the passes of an applier. */
export type Reads = Readonly<{ how: string; cached: boolean }>;

/** The production source: the cache that watches keep. */
export const FROM_CACHE: Reads = { how: 'passes read what watches tell', cached: true };
/** The source after a conflict, and if the cache is behind: the API server itself. */
export const FROM_SERVER: Reads = { how: 'passes ask the API server', cached: false };
