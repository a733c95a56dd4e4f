import type { Log } from './log.port.js';

/**
 * Parts of a cluster that do not work. `isSaid`: the log has the outage. `isMet`: a request alone has said
 * it. `saidMs`: time of its last line.
 */
type Outage = { readonly parts: Set<string>; saidMs: number; isSaid: boolean; isMet: boolean };

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
    const outage = this.#outageOf(cluster);
    outage.parts.add(part);
    if (outage.isSaid) return;
    outage.isSaid = this.#say(cluster, outage, reason, nowMs) || outage.isMet;
  }

  /** Notes a request that met an outage. Parts that break in the same minute have no line of their own. */
  met(cluster: string, reason: string, nowMs: number): void {
    const outage = this.#outageOf(cluster);
    if (!outage.isSaid && this.#say(cluster, outage, reason, nowMs)) outage.isMet = true;
  }

  /** Notes that a part works. It ends the outage if no other part is broken, also one that requests met. */
  recovered(cluster: string, part: string): void {
    const outage = this.#outages.get(cluster);
    outage?.parts.delete(part);
    if (outage === undefined || outage.parts.size > 0) return;
    if (outage.isSaid || outage.isMet) this.log.info({ cluster }, 'cluster answers again');
    outage.isSaid = false;
    outage.isMet = false;
  }

  /** Forgets a part that has been stopped. */
  stopped(cluster: string, part: string): void {
    const outage = this.#outages.get(cluster);
    outage?.parts.delete(part);
    if (outage?.parts.size === 0) this.#outages.delete(cluster);
  }

  #outageOf(cluster: string): Outage {
    const known = this.#outages.get(cluster);
    if (known !== undefined) return known;
    const outage = { parts: new Set<string>(), saidMs: Number.NEGATIVE_INFINITY, isSaid: false, isMet: false };
    this.#outages.set(cluster, outage);
    return outage;
  }

  /** Returns false if the last line is too young. */
  #say(cluster: string, outage: Outage, reason: string, nowMs: number): boolean {
    if (nowMs - outage.saidMs < SHORTEST_MS) return false;
    outage.saidMs = nowMs;
    this.log.warn({ cluster, reason }, 'cluster does not answer');
    return true;
  }
}

const known = new WeakMap<Log, OutageLog>();

/** Returns the outages that all parts of a process with this log share. */
export function outagesOf(log: Log): OutageLog {
  const outages = known.get(log) ?? new OutageLog(log);
  known.set(log, outages);
  return outages;
}
