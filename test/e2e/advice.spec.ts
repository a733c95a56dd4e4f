import { describe } from 'vitest';
import { AdviceBench } from '../advice/advice-bench.js';
import { CASES, type CaseName } from '../advice/advice-cases.js';
import { realCluster } from '../advice/advice-clusters.js';
import { carryOut } from '../advice/carry-out.js';

describe('what explain and status advise, on a real API server', () => {
  carryOut(Object.keys(CASES) as CaseName[], async () => AdviceBench.start(await realCluster()));
});
