import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { RolloutFacts } from '../step/facts.js';
import { isFinal } from '../step/phases.js';
import type { RolloutRecord } from './rollout-record.js';

/** Orders rollouts: of two that may start in a cluster, the one that began first does. */
export const inTurn = (a: RolloutRecord, b: RolloutRecord): number =>
  a.status.startedAt - b.status.startedAt || byCodeUnit(a.spec.name, b.spec.name);

/** The rollouts of one subject, the oldest first, and the current role of each. */
export class SubjectRollouts<R extends RolloutRecord = RolloutRecord> {
  readonly records: R[] = [];

  /** Number of the next rollout. */
  get nextNumber(): number {
    return Math.max(0, ...this.records.map(({ spec }) => spec.number)) + 1;
  }

  get newest(): R | undefined {
    return this.records.at(-1);
  }

  get active(): R | undefined {
    return this.records.findLast((record) => !isFinal(record.status.phase) && !record.isQueued);
  }

  get queued(): R | undefined {
    return this.records.findLast((record) => record.isQueued);
  }

  /** The newest Completed rollout. Joining clusters get its target while no rollout is active. */
  get standing(): R | undefined {
    return this.records.findLast((record) => record.status.phase === 'Completed');
  }

  roleOf(record: RolloutRecord): RolloutFacts['role'] {
    if (record === this.active) return 'active';
    if (record !== this.standing) return 'frozen';
    return this.active === undefined && this.queued === undefined ? 'standing' : 'held';
  }

  /** A newer rollout has left the cluster Done or Failed: the standing one leaves it alone. */
  isDecidedByNewer({ spec }: RolloutRecord, cluster: string): boolean {
    const at = this.records.findIndex((one) => one.spec.name === spec.name);
    return this.records.slice(at + 1).some((newer) => {
      const phase = newer.rows.get(cluster)?.phase;
      return phase === 'Done' || phase === 'Failed';
    });
  }

  /**
   * True if the content that a cluster holds is `needed`, or newer, and its rollout is Done there (decision
   * 0527). Content that no known rollout has brought to the cluster counts as it is.
   */
  isPromoted(cluster: string, held: string | null, needed: string): boolean {
    if (!this.isAtLeast(held, needed)) return false;
    const rows = this.records.flatMap(({ spec, rows: all }) => (spec.target === held ? (all.get(cluster) ?? []) : []));
    return rows.length === 0 || rows.some(({ phase }) => phase === 'Done');
  }

  /** True if a bundle is the target of the first rollout with `target`, or of a later one. */
  isAtLeast(bundle: string | null, target: string): boolean {
    if (bundle === target) return true;
    const first = this.records.findIndex(({ spec }) => spec.target === target);
    return first >= 0 && this.records.slice(first).some(({ spec }) => spec.target === bundle);
  }
}
