import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import { DueClusters } from '#core/rollout/controller/record/due-clusters';
import type { FleetFiles } from '#core/rollout/controller/record/subjects';
import type { LiveFleet, LiveRollout } from './state/live-fleet.js';

/** A pass that comes no later than this after its time, on a busy machine, has missed nothing. */
const ATTENTIVE_MS = 10_000;

/** The clusters of a rollout that are due, and the objects that a pass has read to examine them. */
export class ExaminedBefore {
  readonly due = new DueClusters();
  #isNoted = false;
  #clusters: ReadonlyMap<string, HubCluster> = new Map();
  #files: FleetFiles | undefined;
  #version = -1;
  #role = '';

  /** Returns the clusters that are due, once. Returns all if something that they share has changed. */
  take({ record, facts }: LiveRollout, fleet: LiveFleet, areWindowsDue: boolean): ReadonlySet<string> {
    const { clusters } = fleet;
    const isSame = this.#files === fleet.files && this.#version === record.version && this.#role === facts.role;
    if (!isSame || record.isNew || areWindowsDue) this.due.note(null);
    for (const [name, cluster] of clusters) if (this.#clusters.get(name) !== cluster) this.due.note(name);
    for (const name of this.#clusters.keys()) if (!clusters.has(name)) this.due.note(name);
    return this.due.take(fleet.now, () => allOf(record, fleet));
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
    return now - this.due.nextAt < ATTENTIVE_MS ? now : this.due.nextAt;
  }
}

/** Every cluster that has a row, or may get one. */
export const allOf = ({ rows }: LiveRollout['record'], fleet: LiveFleet): ReadonlySet<string> =>
  new Set([...rows.keys(), ...fleet.clusters.keys()]);
