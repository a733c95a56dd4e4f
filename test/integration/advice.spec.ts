import { describe, expect, it } from 'vitest';
import { ADVICE_NAMES, AdviceBench, type AdviceCase } from '../advice/advice-bench.js';
import { CASES, IN_EVERY_RUN, NOT_CARRIED_OUT } from '../advice/advice-cases.js';
import { simulatedCluster } from '../advice/advice-clusters.js';
import { carryOut } from '../advice/carry-out.js';

describe('what explain and status advise', () => {
  it('has a case for every advice', () => {
    const cases: readonly AdviceCase[] = Object.values(CASES);
    const carried = new Set(cases.flatMap(({ carries }) => carries));
    const missing = ADVICE_NAMES.filter((name) => !carried.has(name));
    expect(missing.toSorted()).toEqual(Object.keys(NOT_CARRIED_OUT).toSorted());
  });

  carryOut(IN_EVERY_RUN, async () => AdviceBench.start(await simulatedCluster()));
});
