import { expect, it } from 'vitest';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { ExtensionPackage, ExtensionProblem } from '#core/v1/extension/extension-problem';
import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { silentLog } from '#platform/telemetry/log.port';
import { ExtensionSolver } from './extension-solver.js';
import { SolveProblem } from './solve-problem.js';

const bundle = (name: string, release: string) => ({
  name,
  image: `registry.example/${name}`,
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version: '1.0.0', release } }],
});
const record: ExtensionPackage = {
  v1: true,
  name: 'lamp',
  channels: [{ name: 'stable', entries: [{ name: 'lamp.a' }, { name: 'lamp.b' }] }],
  bundles: [bundle('lamp.a', '1'), bundle('lamp.b', '2')],
  deprecation: null,
};

it('chooses by explicit releases only for problems with the feature gate, though both share one record', async () => {
  const store = new MemoryProblemStore<ExtensionProblems>();
  const solver = new ExtensionSolver(store);
  const solving = new SolveProblem<ExtensionProblems>({
    store,
    solver,
    solved: memoryQueues().solved,
    log: silentLog,
    onSolved: () => undefined,
  });
  const hash = canonicalHash(record);
  const chosen = async (gates: ExtensionProblem['extension']['gates']) => {
    const extension = { query: { packageName: 'lamp' }, installed: null, majorUpdates: 'manual' as const };
    const desired = gates === undefined ? extension : { ...extension, gates };
    const catalogs = [{ name: 'main', priority: 0, record: hash }];
    const problem = await store.putProblem({ v: 1, extension: desired, catalogs }, new Map([[hash, record]]));
    await solving.run(problem);
    const solution = await store.getSolution(problem);
    return solution?.class === 'Resolved' ? solution.bundle : undefined;
  };
  expect(await chosen(undefined)).toEqual({ name: 'lamp.a', version: '1.0.0' });
  expect(await chosen({ BundleReleaseSupport: true })).toEqual({ name: 'lamp.b', version: '1.0.0', release: '2' });
  expect(await chosen(undefined)).toEqual({ name: 'lamp.a', version: '1.0.0' });
});
