import { type Measured, type Pair, WORKS } from './measure-trust.js';

type Column = Readonly<{ what: string; unit: string; digits: number; of: (side: Measured) => number }>;

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((total, one) => total + one, 0);

/**
 * Renders the medians of both sides with their spread, and the median of the differences within each pair.
 */
export function renderTrust(pairs: readonly Pair[]): string {
  const rows = columns(pairs).map(({ what, unit, digits, of }) => {
    const before = pairs.map((pair) => of(pair.before));
    const now = pairs.map((pair) => of(pair.now));
    const differences = now.map((value, at) => (value / (before[at] ?? Number.NaN) - 1) * 100);
    const show = (values: readonly number[]) => {
      const [least, middle, most] = spread(values).map((value) => value.toFixed(digits));
      return `${middle}${unit && ` ${unit}`} (${least}–${most})`;
    };
    const [least, middle, most] = spread(differences).map((value) => `${value > 0 ? '+' : ''}${value.toFixed(1)}`);
    const difference = before.every((value) => value === 0) ? '–' : `${middle} % (${least} to ${most})`;
    return [what, show(before), show(now), difference];
  });
  return table(['what', 'before', 'now', 'difference within a pair'], rows);
}

function columns(pairs: readonly Pair[]): Column[] {
  const first = pairs[0]?.now;
  const works = WORKS.filter((work) => first?.[work] !== undefined).flatMap((work): Column[] => {
    const cpu = { unit: 'ms', digits: 0 };
    return [
      { ...cpu, what: `${work}: CPU of all`, of: (side) => sum(side[work]?.cpuSeconds ?? {}) * 1_000 },
      ...Object.keys(first?.[work]?.cpuSeconds ?? {}).map((name) => ({
        ...cpu,
        what: `${work}: CPU of ${name}`,
        of: (side: Measured) => (side[work]?.cpuSeconds[name] ?? Number.NaN) * 1_000,
      })),
      {
        what: `${work}: commands in Redis`,
        unit: '',
        digits: 0,
        of: (side) => side[work]?.redisCommands ?? Number.NaN,
      },
      {
        what: `${work}: requests to the API server`,
        unit: '',
        digits: 1,
        of: (side) => side[work]?.requests ?? Number.NaN,
      },
    ];
  });
  const peaks = (['one', 'many'] as const).flatMap((hub): Column[] =>
    Object.keys(first?.[hub]?.peakMiB ?? {}).map((name) => ({
      what: `peak memory of ${name}, ${hub === 'one' ? 'one cluster, all of this work' : 'many clusters, idle'}`,
      unit: 'MiB',
      digits: 0,
      of: (side) => side[hub]?.peakMiB[name] ?? Number.NaN,
    })),
  );
  return [...works, ...peaks];
}

/** Least, median and most. */
function spread(values: readonly number[]): readonly [number, number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const middle = ((sorted[Math.ceil(half) - 1] ?? Number.NaN) + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
  return [sorted[0] ?? Number.NaN, middle, sorted.at(-1) ?? Number.NaN];
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
