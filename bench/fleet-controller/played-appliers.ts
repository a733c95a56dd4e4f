import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { canonicalHash, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';

/** An applier sees an order after so long, and a hop takes so long: each report is a write of its own. */
const SEEN_AFTER_MS = 50;
const HOP_MS = 1_000;
export const FIRST_BUNDLE = 'op.v1.0.0';

/** Answers FleetAssignments as appliers do if their clusters have one operator and every hop succeeds. */
export class PlayedAppliers {
  reports = 0;
  #offered = FIRST_BUNDLE;
  readonly #installed = new Map<string, string>();
  /** Attempts that have begun, by cluster. */
  readonly #running = new Map<string, string>();
  readonly #due = new Set<string>();

  constructor(private readonly hub: SimulatedCluster) {
    hub.onChange(({ type, object }) => {
      if (object.kind === 'FleetAssignment' && type !== 'DELETED') this.#soon(object.metadata.name);
    });
  }

  /** Clusters that have reported. */
  get clusters(): number {
    return this.#installed.size;
  }

  offer(bundle: string): void {
    this.#offered = bundle;
    for (const cluster of this.#installed.keys()) this.#soon(cluster);
  }

  #soon(cluster: string): void {
    if (this.#due.has(cluster)) return;
    this.#due.add(cluster);
    setTimeout(() => {
      this.#due.delete(cluster);
      this.#report(cluster);
    }, SEEN_AFTER_MS);
  }

  #report(cluster: string): void {
    const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name: cluster };
    const found = this.hub.get(ref);
    if (found === undefined) return;
    const { rows } = found.spec as unknown as Readonly<{ rows: readonly AssignmentRow[] }>;
    const before = (found.status as Readonly<{ rows?: readonly AssignmentReport[] }> | undefined)?.rows ?? [];
    const reports = rows.map((row) => this.#reportOf(cluster, row));
    if (canonicalJson(reports) === canonicalJson(before)) return;
    const status = { rows: reports };
    this.hub.edit(ref, (stored) => Object.assign(stored, { status }), 'status');
    this.reports += 1;
  }

  #reportOf(cluster: string, row: AssignmentRow): AssignmentReport {
    const bundle = this.#installed.get(cluster) ?? FIRST_BUNDLE;
    this.#installed.set(cluster, bundle);
    const { subject, rollout, attempt = 0, order, target } = row;
    const isThere = bundle === target?.bundle;
    const common = {
      ...{ subject, ...(rollout === undefined ? {} : { rollout }), attempt, healthy: true, bundle },
      ...{ hops: [], changes: [], gates: [], denied: [], drift: false, hop: 0 },
    };
    if (order === 'Go' && !isThere) {
      this.#begin(cluster, `${rollout} ${attempt}`, target?.bundle ?? '');
      return { ...common, state: 'Running', hop: 1 };
    }
    const all = { ...common, ...this.#plan(bundle) };
    return order === 'Preview' ? { ...all, state: 'Planned' } : { ...all, state: 'Ready', hop: 1 };
  }

  /** Equal in all clusters that have the same bundle: they are one plan class. */
  #plan(from: string): Partial<AssignmentReport> {
    if (from === this.#offered) return {};
    const hop = canonicalHash({ from, to: this.#offered });
    return { planned: this.#offered, planHash: canonicalHash([hop]), hops: [hop], changes: ['Minor'] };
  }

  #begin(cluster: string, attempt: string, bundle: string): void {
    if (this.#running.get(cluster) === attempt) return;
    this.#running.set(cluster, attempt);
    setTimeout(() => {
      this.#installed.set(cluster, bundle);
      this.#soon(cluster);
    }, HOP_MS);
  }
}
