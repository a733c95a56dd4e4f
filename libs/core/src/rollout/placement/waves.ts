import { hash } from 'node:crypto';
import type { ClusterShare, Threshold } from '../../kernel/api/fleet/fleet-fields.js';
import { StrategySpec, WaveSpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { parseGoDuration } from '../../kernel/durations/go-duration.js';
import { clusterSelector, type SelectedCluster, type SelectsCluster } from './select-clusters.js';

/** The last cluster, by its place in the order, that a share takes; a wave without a share has none. */
export type WaveCut = Readonly<{ wave: string; cut: string }>;

/** A wave with its rules read. */
export type Wave = Readonly<{ name: string; spec: WaveSpec; selects: SelectsCluster; takesAll: boolean }>;

/** The strategy of a subject that names none. */
export const BUILT_IN_STRATEGY: StrategySpec = StrategySpec.parse({
  waves: [
    { name: 'one', count: 1, soak: '10m' },
    { name: 'tenth', percent: 10, soak: '10m' },
  ],
});

const REST = 'rest';
const NOBODY = '';

/**
 * Returns the waves of a strategy and the implicit last one, `rest`. The latter has the settings of the last
 * wave.
 */
export function wavesOf({ waves }: StrategySpec): readonly Wave[] {
  const last: WaveSpec = waves.at(-1) ?? WaveSpec.parse({ name: 'first' });
  const { clusters: _clusters, percent: _percent, count: _count, ...settings } = last;
  return [...waves, { ...settings, name: REST }].map((spec) => ({
    name: spec.name,
    spec,
    selects: clusterSelector(spec.clusters),
    takesAll: spec.percent === undefined && spec.count === undefined,
  }));
}

/** The place of a cluster in the order of a rollout: the first eight bytes of a hash, in hex. */
export const orderOf = (uid: string, cluster: string): string =>
  hash('sha256', `${uid}/${cluster}`, 'hex').slice(0, 16);

/**
 * Returns the cut of each wave that takes a share. The share is of the matching clusters that no earlier wave
 * took, rounded up. Later the cut decides, not the number: a cluster that joins belongs to the wave that
 * includes its place.
 */
export function cutsOf(waves: readonly Wave[], clusters: readonly SelectedCluster[], uid: string): readonly WaveCut[] {
  let left = clusters
    .map((cluster) => ({ cluster, order: orderOf(uid, cluster.name) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  const cuts: WaveCut[] = [];
  for (const { name, spec, selects, takesAll } of waves) {
    const matching = left.filter(({ cluster }) => selects(cluster));
    const count = takesAll ? matching.length : shareCount(spec, matching.length);
    const taken = new Set(matching.slice(0, count));
    if (!takesAll) cuts.push({ wave: name, cut: matching[count - 1]?.order ?? NOBODY });
    left = left.filter((one) => !taken.has(one));
  }
  return cuts;
}

const shareCount = ({ percent, count }: WaveSpec, matching: number): number =>
  Math.min(matching, count ?? Math.ceil(((percent ?? 100) * matching) / 100));

/**
 * Returns the wave of a cluster: the first that selects it and has a cut not below its place, otherwise
 * `rest`.
 */
export function waveOf(
  waves: readonly Wave[],
  cuts: readonly WaveCut[],
  cluster: SelectedCluster,
  order: string,
): number {
  const found = waves.findIndex(({ name, selects, takesAll }) => {
    const cut = takesAll ? undefined : cuts.find(({ wave }) => wave === name)?.cut;
    return (cut === undefined || order <= cut) && selects(cluster);
  });
  return found < 0 ? waves.length - 1 : found;
}

/** Places of a share among members: a percentage is rounded down, and gives at least one. */
export const placesOf = (share: ClusterShare, members: number): number =>
  Math.min(members, Math.max(1, typeof share === 'number' ? share : percentOf(share, members)));

/** Failures that a wave accepts: a percentage is rounded down. */
export const thresholdOf = (threshold: Threshold, members: number): number =>
  typeof threshold === 'number' ? threshold : percentOf(threshold, members);

const percentOf = (text: string, members: number): number => Math.floor((Number.parseInt(text, 10) * members) / 100);

/** Milliseconds of a duration that the schema has checked. */
export function durationMs(text: string): number {
  const parsed = parseGoDuration(text);
  return 'ms' in parsed ? parsed.ms : 0;
}
