/** The process that has a lock. `started`: another one for a later process with the same number. */
export type LockHolder = Readonly<{
  pid: number;
  host: string;
  /** Null if the system does not give the start of a process. */
  started: string | null;
  /** The ID of this lock alone. */
  id?: string;
  /** True while the process waits: it found no lock, but another process may have lost one. */
  claims?: boolean;
  /** The time at which it released the lock. */
  ended?: string;
  /** Address of the process; absent until it listens. */
  url?: string;
}>;

/** Facts about the holder of a lock, as this process sees them. */
export type HolderFacts = Readonly<{
  /** The name of this machine. */
  host: string;
  /** True if a process with the holder's number runs on this machine. */
  isRunning: boolean;
  /** Start of that process; null if the system does not give it. */
  started: string | null;
  /** Milliseconds since the lock was last renewed. */
  renewedMsAgo: number;
}>;

/** A lock that was not renewed for this time belongs to no running process. */
export const ABANDONED_AFTER_MS = 60_000;

/**
 * True if the process that holds a lock still runs. The system reuses process numbers, so on this machine the
 * start time counts, too. If it is unknown, or the holder is on another machine, the renewal of the lock
 * counts.
 */
export function isHolderAlive({ pid, host, started, ended }: LockHolder, facts: HolderFacts): boolean {
  if (ended !== undefined || pid <= 0) return false;
  const isRenewed = facts.renewedMsAgo < ABANDONED_AFTER_MS;
  if (host !== facts.host) return isRenewed;
  if (!facts.isRunning) return false;
  return started === null ? isRenewed : started === facts.started;
}

/** Returns the refusal of a second `flotilla up` with the same identity, with advice. */
export function upRunsAlready({ pid, host, url }: LockHolder, ownHost: string): string {
  const isElsewhere = pid !== 0 && host !== ownHost;
  const process = pid === 0 ? 'another process' : `pid ${pid}${isElsewhere ? ` on ${host}` : ''}`;
  const where = `${process}, ${url ?? 'which is starting'}`;
  const wait = isElsewhere ? ' (after a kill its lock ends within a minute)' : '';
  return `flotilla up already runs (${where}): stop it first${wait}, or give this hub another identity with FLOTILLA_HUB_ID=NAME`;
}

/** Returns the holder in the text of a lock; process 0 if the text is damaged, as after a power failure. */
export function holderIn(text: string): LockHolder {
  try {
    const found: unknown = JSON.parse(text);
    if (isHolder(found)) return found;
  } catch {
    // No JSON: it names no process.
  }
  return { pid: 0, host: '', started: null };
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, started } = value as Record<string, unknown>;
  return Number.isInteger(pid) && typeof host === 'string' && (started === null || typeof started === 'string');
}
