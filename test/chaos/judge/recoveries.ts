import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import type { FaultName } from '../plan/fault-kinds.js';

const CSVS = 'clusterserviceversions.operators.coreos.com';

/** Effects of all faults of one kind. */
export type FaultRow = Readonly<{
  fault: FaultName;
  injected: number;
  /** Number of faults after which a change Succeeded in every cluster that the fault met. */
  survived: number;
  /** Seconds. Undefined if no change followed. */
  longest: number | undefined;
}>;

type Ended = Readonly<{ fault: FaultName; clusters: readonly string[]; atMs: number }>;
type Changes = { succeededAt: number[]; busySince: [from: number, busy: boolean][] };

/** When changes Succeeded in each cluster, and when faults ended: times of `performance.now()`. */
export class Recoveries {
  readonly #ended: Ended[] = [];
  readonly #changes = new Map<string, Changes>();
  readonly #begunAt = performance.now();

  watch(cluster: SimulatedCluster): void {
    const changes = this.#of(cluster.name);
    cluster.onChange(({ type, resource, object, previous }) => {
      if (resource !== CSVS || type === 'DELETED') return;
      if (phaseOf(object) === 'Succeeded' && phaseOf(previous) !== 'Succeeded')
        changes.succeededAt.push(performance.now());
    });
  }

  /** Records if the cluster has pending work now. */
  note(cluster: string, busy: boolean): void {
    const { busySince } = this.#of(cluster);
    if (busySince.at(-1)?.[1] !== busy) busySince.push([performance.now(), busy]);
  }

  ended(fault: FaultName, clusters: readonly string[], atMs: number): void {
    this.#ended.push({ fault, clusters, atMs });
  }

  /** In the order of the names given. */
  rows(faults: readonly FaultName[]): readonly FaultRow[] {
    return faults.map((fault) => {
      const own = this.#ended.filter((one) => one.fault === fault);
      const seconds = own.map(({ clusters, atMs }) => clusters.map((cluster) => this.#recovery(cluster, atMs)));
      const known = seconds.flat().filter((one) => one !== 'never' && one !== 'unchanged');
      return {
        fault,
        injected: own.length,
        survived: seconds.filter((all) => !all.includes('never')).length,
        longest: known.length === 0 ? undefined : Math.max(...known),
      };
    });
  }

  /** Names the faults with the longest recoveries, for people. */
  slowest(count: number): readonly string[] {
    return this.#ended
      .flatMap(({ fault, clusters, atMs }) =>
        clusters.flatMap((cluster) => {
          const seconds = this.#recovery(cluster, atMs);
          const at = ((atMs - this.#begunAt) / 1_000).toFixed(1);
          return typeof seconds === 'number' ? [{ seconds, text: `${fault}, which ended at ${at} s: ${cluster}` }] : [];
        }),
      )
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, count)
      .map(({ seconds, text }) => `${seconds.toFixed(1)} s after ${text}`);
  }

  /**
   * Seconds from the end of the fault until the next change Succeeded. If nothing had to be done at its end,
   * the time counts from the next change.
   */
  #recovery(cluster: string, atMs: number): number | 'never' | 'unchanged' {
    const { succeededAt, busySince } = this.#of(cluster);
    const before = busySince.findLast(([at]) => at <= atMs)?.[1] ?? false;
    const next = busySince.find(([at, busy]) => at > atMs && busy)?.[0];
    const from = before ? atMs : next;
    if (from === undefined) return 'unchanged';
    const succeeded = succeededAt.find((at) => at >= from);
    const free = busySince.find(([at, busy]) => at >= from && !busy)?.[0];
    const done = Math.min(succeeded ?? Number.POSITIVE_INFINITY, free ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(done) ? (done - from) / 1_000 : 'never';
  }

  #of(cluster: string): Changes {
    const changes = this.#changes.get(cluster) ?? { succeededAt: [], busySince: [] };
    this.#changes.set(cluster, changes);
    return changes;
  }
}

const phaseOf = (object: unknown): unknown => Object(Object(object).status).phase;
