import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needing, programs } from '#testing/report/needs';
import type { AdviceBench, AdviceCase } from './advice-bench.js';
import { CASES, type CaseName } from './advice-cases.js';

const there = await programs({ program: 'kubectl' });

/** Tests that carry these cases out side by side in one environment. */
export function carryOut(names: readonly CaseName[], start: () => Promise<AdviceBench>): void {
  let bench: AdviceBench | undefined;
  beforeAll(async () => {
    if (there.isThere) bench = await start();
  });
  afterAll(() => bench?.stop());

  const carried = async (name: CaseName): Promise<void> => {
    if (bench === undefined) throw new Error('the environment did not start');
    const { carries, play }: AdviceCase = CASES[name];
    await play(bench, name);
    expect(bench.printed(name)).toEqual([...carries].sort());
  };
  const [alone = [], together = []] = [true, false].map((wanted) =>
    names.filter((name) => 'alone' in CASES[name] === wanted),
  );
  describe.concurrent('carried out, ends as promised, about', () => {
    it.for(together)('%s', needing(there), carried);
  });
  if (alone.length === 0) return;
  describe('carried out while the hub is stopped or lacks rights, ends as promised, about', () => {
    it.for(alone)('%s', needing(there), carried);
  });
}
