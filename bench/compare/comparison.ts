/** What one run used. Memory is the most that its process had. */
export type Sample = Readonly<{ wallMs: number; cpuMs?: number; peakMiB?: number }>;

/** The same work by an original program and by Flotilla; without `original` the program was not named. */
export type Comparison = Readonly<{
  work: string;
  original?: () => Promise<Sample>;
  ours: () => Promise<Sample>;
  /** At most so many pairs: work of many seconds. */
  mostPairs?: number;
}>;

export type Compared = Readonly<{ work: string; original: readonly Sample[]; ours: readonly Sample[] }>;

/** Runs both in turns, so that what else the machine does falls on both; each pair begins with the other. */
export async function compare({ work, original, ours, mostPairs }: Comparison, pairs: number): Promise<Compared> {
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
