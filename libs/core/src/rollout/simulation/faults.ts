import { hash } from 'node:crypto';
import { durationMs } from '../placement/waves.js';
import type { EffectName, FaultClusters, FaultEntry } from './scenario-schema.js';

const HEX_OF_52_BITS = 13;
const TWO_52 = 2 ** 52;

/** The attempt of a cluster, or the subject of a timed fault. */
export type FaultSubject = Readonly<{
  cluster: Readonly<{ name: string; labels: Readonly<Record<string, string>> }>;
  rollout: string;
  bundle: string;
  attempt: number;
}>;

/** A fault with its place in the list. The place names its random draws. */
export type PlacedFault = Readonly<{ index: number; fault: FaultEntry; from: number; until: number }>;

/** The faults of a scenario, by effect. */
export class Faults {
  readonly #byEffect = new Map<EffectName, PlacedFault[]>();

  constructor(
    readonly seed: string,
    faults: readonly FaultEntry[],
    /** Start of the run, in milliseconds since 1970. */
    start: number,
  ) {
    for (const [index, fault] of faults.entries()) {
      const effect = effectOf(fault);
      const until = fault.until === undefined ? Number.POSITIVE_INFINITY : start + durationMs(fault.until);
      const placed = { index, fault, from: start + durationMs(fault.from), until };
      this.#byEffect.set(effect, [...(this.#byEffect.get(effect) ?? []), placed]);
    }
  }

  /** All faults of an effect, in their order. */
  all(effect: EffectName): readonly PlacedFault[] {
    return this.#byEffect.get(effect) ?? [];
  }

  /** The first fault of an effect that holds an attempt now. */
  of<E extends EffectName>(
    effect: E,
    subject: FaultSubject,
    now: number,
    accepts: (fault: FaultEntry) => boolean = () => true,
  ): FaultEntry[E] | undefined {
    const found = this.all(effect).find((placed) => accepts(placed.fault) && this.#holds(placed, subject, now));
    return found?.fault[effect];
  }

  #holds(placed: PlacedFault, { cluster, rollout, bundle, attempt }: FaultSubject, now: number): boolean {
    const { index, fault, from, until } = placed;
    if (now < from || now >= until) return false;
    if (fault.bundle !== undefined && fault.bundle !== bundle) return false;
    if (fault.attempts !== undefined && attempt > fault.attempts) return false;
    if (!this.selects(fault.clusters, index, cluster)) return false;
    if (fault.probability === undefined) return true;
    return draw(this.seed, 'probability', index, cluster.name, rollout, attempt) < fault.probability;
  }

  /** True if a fault concerns a cluster. A share is drawn for each cluster by itself. */
  selects(clusters: FaultClusters | undefined, index: number, { name, labels }: FaultSubject['cluster']): boolean {
    if (clusters?.names !== undefined && !clusters.names.includes(name)) return false;
    const wanted = Object.entries(clusters?.matchLabels ?? {});
    if (wanted.some(([key, value]) => labels[key] !== value)) return false;
    return clusters?.percent === undefined || draw(this.seed, 'percent', index, name) < clusters.percent / 100;
  }
}

const EFFECT_NAMES: readonly EffectName[] = [
  ...(['applyFails', 'applyHangs', 'slow', 'offline', 'unhealthy', 'gate', 'planChanges', 'returnFails'] as const),
  ...(['controllerKilled', 'statusLost', 'assignmentsLost', 'wakesLost', 'clusterReplaced', 'secondLeader'] as const),
];

const effectOf = (fault: FaultEntry): EffectName =>
  EFFECT_NAMES.find((name) => fault[name] !== undefined) ?? 'applyFails';

/**
 * A random draw from 0 to below 1 that depends on its name alone: the seed, the purpose, the place of a fault
 * in its list, the cluster, the rollout and the attempt.
 */
export function draw(
  seed: string,
  purpose: 'percent' | 'probability' | 'jitter',
  index: number,
  cluster: string,
  rollout = '',
  attempt: number | '' = '',
): number {
  const name = `${seed}/${purpose}/${index}/${cluster}/${rollout}/${attempt}`;
  return Number.parseInt(hash('sha256', name, 'hex').slice(0, HEX_OF_52_BITS), 16) / TWO_52;
}
