/**
 * Usage of one run. Memory is the most that its process had. `p99Ms` is known of a block of questions;
 * `wallMs` is the median of the block.
 */
export type Sample = Readonly<{ wallMs: number; p99Ms?: number; cpuMs?: number; peakMiB?: number }>;

/** The same work by an original program and by Flotilla; without `original` the program was not named. */
export type Comparison = Readonly<{
  work: string;
  /** Prepares the needs of both, before the first pair. */
  first?: () => Promise<unknown>;
  original?: () => Promise<Sample>;
  ours: () => Promise<Sample>;
  /** At most so many pairs: work of many seconds. */
  mostPairs?: number;
}>;

export type Compared = Readonly<{ work: string; original: readonly Sample[]; ours: readonly Sample[] }>;

/** Runs both in turns, so that other work of the machine falls on both; each pair begins with the other. */
export async function compare(
  { work, first, original, ours, mostPairs }: Comparison,
  pairs: number,
): Promise<Compared> {
  await first?.();
  const all = { original: [] as Sample[], ours: [] as Sample[] };
  for (let pair = 0; pair < Math.min(pairs, mostPairs ?? pairs); pair += 1) {
    const both = [
      { into: all.original, run: original },
      { into: all.ours, run: ours },
    ];
    for (const { into, run } of pair % 2 === 0 ? both : both.reverse()) if (run !== undefined) into.push(await run());
  }
  return { work, ...all };
}
