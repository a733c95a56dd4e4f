import type { Log } from './log.port.js';

/** Parts of a cluster that do not work. `isSaid`: the log has the outage. `saidMs`: time of its last line. */
type Outage = { readonly parts: Set<string>; saidMs: number; isSaid: boolean };

/** The shortest time between two such lines: connections of a cluster may break again and again. */
const SHORTEST_MS = 60_000;

/**
 * The lines of the log about clusters that are away: one when an outage begins, at most one a minute, and one
 * when it ends. A cluster has dozens of watches in a process, and all of them break together.
 */
export class OutageLog {
  readonly #outages = new Map<string, Outage>();

  constructor(private readonly log: Log) {}

  /** Notes that a part, such as a watch, does not reach its cluster. It is noted again at each try. */
  failed(cluster: string, part: string, reason: string, nowMs: number): void {
    const outage = this.#outages.get(cluster) ?? { parts: new Set(), saidMs: Number.NEGATIVE_INFINITY, isSaid: false };
    this.#outages.set(cluster, outage);
    outage.parts.add(part);
    if (outage.isSaid || nowMs - outage.saidMs < SHORTEST_MS) return;
    outage.isSaid = true;
    outage.saidMs = nowMs;
    this.log.warn({ cluster, reason }, 'cluster does not answer');
  }

  /** Notes that a part works again. The last one ends the outage. */
  recovered(cluster: string, part: string): void {
    const outage = this.#outages.get(cluster);
    if (outage?.parts.delete(part) !== true || outage.parts.size > 0) return;
    if (outage.isSaid) this.log.info({ cluster }, 'cluster answers again');
    outage.isSaid = false;
  }

  /** Forgets a part that has been stopped. */
  stopped(cluster: string, part: string): void {
    const outage = this.#outages.get(cluster);
    outage?.parts.delete(part);
    if (outage?.parts.size === 0) this.#outages.delete(cluster);
  }
}

const known = new WeakMap<Log, OutageLog>();

/** Returns the outages that all parts of a process with this log share. */
export function outagesOf(log: Log): OutageLog {
  const outages = known.get(log) ?? new OutageLog(log);
  known.set(log, outages);
  return outages;
}
