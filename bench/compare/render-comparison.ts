import type { Compared, Sample } from './comparison.js';

type Measure = Readonly<{ name: string; of: (sample: Sample) => number | undefined; shown: (value: number) => string }>;

const MEASURES: readonly Measure[] = [
  { name: 'time', of: ({ wallMs }) => wallMs, shown: milliseconds },
  { name: 'p99', of: ({ p99Ms }) => p99Ms, shown: milliseconds },
  { name: 'CPU', of: ({ cpuMs }) => cpuMs, shown: milliseconds },
  { name: 'memory', of: ({ peakMiB }) => peakMiB, shown: (value) => `${Math.round(value)} MiB` },
];

/**
 * A row for each measure that either has: the median, the least and the most of both; the ratio is
 * original ÷ ours.
 */
export const fullHead = (original: string, ours: string): string =>
  `| work | | ${original}: median [least–most] | ${ours}: median [least–most] | ${original} ÷ ${ours} |\n| --- | --- | --- | --- | --- |\n`;

export function fullRows({ work, original, ours }: Compared): string {
  return measuresOf([...original, ...ours])
    .map((measure, at) => {
      const [theirs, own] = [valuesOf(original, measure), valuesOf(ours, measure)];
      const cells = [at === 0 ? work : '', measure.name, spread(theirs, measure), spread(own, measure)];
      return `| ${[...cells, ratio(theirs, own)].join(' | ')} |\n`;
    })
    .join('');
}

/** Medians alone, a row for each work. */
export const SHORT_HEAD = '| work | original | Flotilla | original ÷ Flotilla |\n| --- | --- | --- | --- |\n';

export function shortRow({ work, original, ours }: Compared): string {
  const measures = measuresOf([...original, ...ours]);
  const medians = (samples: readonly Sample[]) =>
    samples.length === 0 ? 'not run' : measures.map((measure) => shownMedian(samples, measure)).join(', ');
  const ratios = measures.map((measure) => ratio(valuesOf(original, measure), valuesOf(ours, measure)));
  const named = `${work}: ${measures.map(({ name }) => name).join(', ')}`;
  const cells = [named, medians(original), medians(ours), original.length === 0 ? '–' : ratios.join(', ')];
  return `| ${cells.join(' | ')} |\n`;
}

function shownMedian(samples: readonly Sample[], measure: Measure): string {
  const values = valuesOf(samples, measure);
  return values.length === 0 ? '–' : measure.shown(median(values));
}

const measuresOf = (samples: readonly Sample[]): readonly Measure[] =>
  MEASURES.filter((measure) => valuesOf(samples, measure).length > 0);

const valuesOf = (samples: readonly Sample[], { of }: Measure): readonly number[] =>
  samples.flatMap((sample) => of(sample) ?? []);

function spread(values: readonly number[], { shown }: Measure): string {
  if (values.length === 0) return '–';
  return `${shown(median(values))} [${shown(Math.min(...values))}–${shown(Math.max(...values))}]`;
}

/** Above 1 the original needs more. */
function ratio(original: readonly number[], ours: readonly number[]): string {
  if (original.length === 0 || ours.length === 0) return '–';
  const value = median(original) / median(ours);
  return Number.isFinite(value) ? `${value < 10 ? value.toFixed(2) : Math.round(value)} ×` : '–';
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function milliseconds(value: number): string {
  if (value >= 1_000) return `${(value / 1_000).toFixed(2)} s`;
  if (value === 0) return '0 ms';
  if (value >= 10) return `${Math.round(value)} ms`;
  return `${value.toFixed(value < 0.1 ? 4 : 2)} ms`;
}
