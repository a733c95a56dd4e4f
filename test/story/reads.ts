/** Where the passes of an applier take the state of a cluster from. */
export type Reads = Readonly<{ how: string; cached: boolean }>;

/** As in production: from the cache that watches keep. */
export const FROM_CACHE: Reads = { how: 'passes read what watches tell', cached: true };
/** As after a conflict, and where the cache is behind: from the API server itself. */
export const FROM_SERVER: Reads = { how: 'passes ask the API server', cached: false };
