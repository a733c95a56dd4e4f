import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import type { FleetFiles } from '#core/rollout/controller/record/subjects';
import type { StepResult } from '#core/rollout/controller/step/step';
import type { LiveFleet, LiveRollout } from './state/live-fleet.js';

/** A pass that comes no later than this after its time, on a busy machine, has missed nothing. */
const ATTENTIVE_MS = 10_000;

/**
 * The clusters of a rollout that a pass must examine: those that have changed since the pass before, and
 * those with a time that has come. It is a hint alone: without it all are examined.
 */
export class ExaminedBefore {
  #isNoted = false;
  #clusters: ReadonlyMap<string, HubCluster> = new Map();
  #files: FleetFiles | undefined;
  #version = -1;
  #role = '';
  #wakeAt: number | undefined;
  readonly #wakes = new Map<string, number>();
  /** Clusters with news that their objects do not show. */
  readonly #news = new Set<string>();
  #isNewsForAll = false;

  /** Returns the clusters that are due. Returns all if something that they share has changed. */
  due({ record, facts }: LiveRollout, fleet: LiveFleet, areWindowsDue: boolean): ReadonlySet<string> {
    const isKnown =
      this.#files === fleet.files &&
      this.#version === record.version &&
      this.#role === facts.role &&
      !record.isNew &&
      !areWindowsDue &&
      !this.#isNewsForAll &&
      (this.#wakeAt ?? Number.POSITIVE_INFINITY) > fleet.now;
    this.#isNewsForAll = false;
    if (!isKnown) return allOf(record, fleet);
    const due = new Set<string>();
    for (const [name, cluster] of fleet.clusters) if (this.#clusters.get(name) !== cluster) due.add(name);
    for (const name of this.#clusters.keys()) if (!fleet.clusters.has(name)) due.add(name);
    for (const [name, at] of this.#wakes) if (at <= fleet.now) due.add(name);
    for (const name of this.#news) due.add(name);
    this.#news.clear();
    return due;
  }

  noteNews(cluster: string | null): void {
    if (cluster === null) this.#isNewsForAll = true;
    else this.#news.add(cluster);
  }

  /** Notes the time at which each of these clusters must be examined again. */
  noteWakes({ rowWakes, wakeAt }: StepResult): void {
    this.#wakeAt = wakeAt;
    for (const [name, at] of rowWakes) {
      if (at === undefined) this.#wakes.delete(name);
      else this.#wakes.set(name, at);
    }
  }

  /** Notes that the pass is over, and that its decisions were written. */
  note({ record, facts }: LiveRollout, fleet: LiveFleet): void {
    this.#clusters = fleet.clusters;
    this.#files = fleet.files;
    this.#version = record.version;
    this.#role = facts.role;
    this.#isNoted = true;
  }

  /**
   * Returns the time until which this process has attended to the rollout. A gap means that a pass came late,
   * or is the first one.
   */
  attendedUntil(now: number): number {
    if (!this.#isNoted) return Number.NEGATIVE_INFINITY;
    return now - this.nextAt < ATTENTIVE_MS ? now : this.nextAt;
  }

  /** Returns the next time at which the clock alone asks for a pass. */
  get nextAt(): number {
    let next = this.#wakeAt ?? Number.POSITIVE_INFINITY;
    for (const at of this.#wakes.values()) next = Math.min(next, at);
    return next;
  }
}

/** Every cluster that has a row, or may get one. */
export const allOf = ({ rows }: LiveRollout['record'], fleet: LiveFleet): ReadonlySet<string> =>
  new Set([...rows.keys(), ...fleet.clusters.keys()]);
