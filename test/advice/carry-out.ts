import { afterAll, beforeAll, describe, it } from 'vitest';
import { needing, programs } from '#testing/report/needs';
import type { AdviceBench } from './advice-bench.js';
import { CASES, type CaseName } from './advice-cases.js';

const there = await programs({ program: 'kubectl' });

/** Tests that carry these cases out side by side in one environment. */
export function carryOut(names: readonly CaseName[], start: () => Promise<AdviceBench>): void {
  let bench: AdviceBench | undefined;
  beforeAll(async () => {
    if (there.isThere) bench = await start();
  });
  afterAll(() => bench?.stop());

  describe.concurrent('carried out, ends as promised, about', () => {
    it.for(names)('%s', needing(there), async (name, { expect }) => {
      if (bench === undefined) throw new Error('the environment did not start');
      const { carries, play } = CASES[name];
      await play(bench, name);
      expect(bench.printed(name)).toEqual([...carries].sort());
    });
  });
}
