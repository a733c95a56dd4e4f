import type { PackageSpread, RolloutSummary } from '../../src/api/lists.schema.js';
import { count } from '../live/times.js';

/** A share as a bar with its numbers: never a colour alone. */
export function Bar({ done, of, label }: { done: number; of: number; label: string }) {
  const share = of === 0 ? 0 : done / of;
  return (
    <span class="bar-line">
      <span class="bar" role="img" aria-label={`${label}: ${count(done)} of ${count(of)}`}>
        <span class="bar-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="bar-number">
        {count(done)}/{count(of)}
      </span>
    </span>
  );
}

/** The versions of a package, the widest part first. */
export function Spread({ of }: { of: PackageSpread }) {
  const all = of.versions.reduce((sum, { clusters }) => sum + clusters, of.other);
  const words = of.versions.map(({ version, clusters }) => `${version || 'none'} in ${count(clusters)}`).join(', ');
  return (
    <span class="spread">
      <span class="spread-bar" role="img" title={words === '' ? 'nothing installed' : words}>
        {of.versions.map(({ bundle, version, clusters }, index) => (
          <span key={bundle} class={`spread-part part-${index % 4}`} style={{ flexGrow: clusters / Math.max(1, all) }}>
            {clusters / Math.max(1, all) > 0.24 ? version : ''}
          </span>
        ))}
        {of.other > 0 && <span class="spread-part part-older" style={{ flexGrow: of.other / all }} />}
      </span>
    </span>
  );
}

/** One wave of a rollout, by the states of its clusters. */
export function WaveBar({ of }: { of: RolloutSummary['waves'][number] }) {
  const parts = [
    ['well', of.done, 'done'],
    ['under-way', of.underWay, 'under way'],
    ['failed', of.failed, 'failed'],
    ['waiting', of.waiting, 'waiting'],
  ] as const;
  const label = parts.map(([, number, word]) => `${count(number)} ${word}`).join(', ');
  return (
    <span class="wave-bar" role="img" aria-label={`${of.name}: ${label}`}>
      {parts
        .filter(([, number]) => number > 0)
        .map(([name, number]) => (
          <span key={name} class={`wave-part fill-${name}`} style={{ flexGrow: number }} />
        ))}
    </span>
  );
}
