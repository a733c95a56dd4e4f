import { describe, expect, it } from 'vitest';
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

describe('a problem of a ClusterExtension', () => {
  const extension = { query: { packageName: 'lamp' }, installed: null, majorUpdates: 'manual' as const };
  const problemOf = (...records: string[]): ExtensionProblem => ({
    v: 1,
    extension,
    catalogs: records.map((record, at) => ({ name: `catalog-${at}`, priority: at, record })),
  });

  it('of which the store has lost a package record cannot be prepared', async () => {
    expect(
      await new ExtensionSolver(new MemoryProblemStore<ExtensionProblems>()).prepare(problemOf('lost')),
    ).toBeUndefined();
  });

  it('has its records read once, however many problems name them, up to 200 of them', async () => {
    const read: string[] = [];
    const getRecord = async (hash: string) => {
      read.push(hash);
      return { ...record, name: hash };
    };
    const solver = new ExtensionSolver({ getRecord });
    await solver.prepare(problemOf('a', 'b'));
    await solver.prepare(problemOf('a'));
    expect(read).toEqual(['a', 'b']);
    for (let at = 0; at < 199; at += 1) await solver.prepare(problemOf(`more-${at}`));
    await solver.prepare(problemOf('a', 'b'));
    expect(read.slice(-2)).toEqual(['more-198', 'b']);
  });

  it.each([
    ['succeeded', { class: 'Resolved' }],
    ['failed', { class: 'NoPackage', error: 'none' }],
  ])('counts as %s by its class', (outcome, solution) => {
    const solver = new ExtensionSolver(new MemoryProblemStore<ExtensionProblems>());
    expect(solver.report(problemOf(), solution as never)).toMatchObject({
      outcome,
      fields: { package: 'lamp', result: solution.class },
    });
    expect(solver.deadlineMs).toBe(Number.POSITIVE_INFINITY);
  });
});
