/** Reach of a fault: one process of the hub, one cluster, or a part that the whole hub shares. */
export type FaultReach = 'service' | 'cluster' | 'Redis' | 'registry' | 'disk';

export type FaultKind = Readonly<{
  reach: FaultReach;
  /** Duration in milliseconds. */
  lasts: readonly [least: number, most: number];
}>;

/** Every fault that is injected, by the name that the table of a run shows. */
export const FAULT_KINDS = {
  'service killed (SIGKILL)': { reach: 'service', lasts: [200, 3_000] },
  'service stopped (SIGSTOP, SIGCONT)': { reach: 'service', lasts: [1_000, 9_000] },
  'clock of a service jumps': { reach: 'service', lasts: [1_000, 6_000] },
  'Redis restarted, back empty': { reach: 'Redis', lasts: [200, 3_000] },
  'Redis flushed (FLUSHALL)': { reach: 'Redis', lasts: [0, 0] },
  'Redis at maxmemory': { reach: 'Redis', lasts: [1_000, 6_000] },
  'API server answers 500 and 503': { reach: 'cluster', lasts: [1_000, 8_000] },
  'API server answers 429': { reach: 'cluster', lasts: [1_000, 8_000] },
  'API server hangs': { reach: 'cluster', lasts: [1_000, 9_000] },
  'API server restarted': { reach: 'cluster', lasts: [500, 5_000] },
  'API server restored from a backup': { reach: 'cluster', lasts: [500, 3_000] },
  'watches reset and too old': { reach: 'cluster', lasts: [0, 0] },
  'requests and answers lost': { reach: 'cluster', lasts: [500, 4_000] },
  'cluster cut off (partition)': { reach: 'cluster', lasts: [1_000, 9_000] },
  'token expired': { reach: 'cluster', lasts: [1_000, 5_000] },
  'registry answers 500': { reach: 'registry', lasts: [1_000, 8_000] },
  'registry breaks off in the middle': { reach: 'registry', lasts: [1_000, 8_000] },
  'registry hangs': { reach: 'registry', lasts: [1_000, 8_000] },
  'registry answers a page of its own': { reach: 'registry', lasts: [1_000, 8_000] },
  'registry serves changed bytes': { reach: 'registry', lasts: [1_000, 8_000] },
  'registry answers without an end': { reach: 'registry', lasts: [1_000, 8_000] },
  'content disk full': { reach: 'disk', lasts: [1_000, 8_000] },
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultName = keyof typeof FAULT_KINDS;
export const FAULT_NAMES = Object.keys(FAULT_KINDS) as readonly FaultName[];
