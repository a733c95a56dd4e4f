import { describe } from 'vitest';
import { AdviceBench } from '../advice/advice-bench.js';
import { FOR_EVERY_CLONE } from '../advice/advice-cases.js';
import { simulatedCluster } from '../advice/advice-clusters.js';
import { carryOut } from '../advice/carry-out.js';

describe('what explain and status advise', () => {
  carryOut(FOR_EVERY_CLONE, async () => AdviceBench.start(await simulatedCluster()));
});
