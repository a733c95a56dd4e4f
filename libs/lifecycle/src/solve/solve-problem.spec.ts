import { beforeEach, describe, expect, it } from 'vitest';
import { sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import { gaveUpInTime } from '#core/classic/resolution/problem/given-up';
import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import {
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleResolution,
  sampleSubscription,
} from '#core/classic/resolution/sample-problem.fixture';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { solvedContract } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import { silentLog } from '#platform/telemetry/log.port';
import { NamespaceSolver } from './namespace-solver.js';
import { solve } from './solve.js';
import { SolveProblem } from './solve-problem.js';
import { SolveProblems } from './solve-problems.js';

const DEADLINE_MS = 60_000;
const desired = sampleNamespace({ subscriptions: [sampleSubscription('lamp')] });
const catalogs = [sampleCatalog('shelf', samplePackage('lamp', sampleEntry('lamp', '1.0.0')))];
const { problem, resolution } = sampleResolution(desired, catalogs);
const { records } = sliceCatalogs(desired, catalogs);

let store: MemoryProblemStore;
let solved: MemoryJobQueue<{ v: 1; problem: string }>;
let solves: string[];
let outcomes: string[];
let failure: Error | undefined;

beforeEach(() => {
  store = new MemoryProblemStore();
  solved = new MemoryJobQueue(solvedContract) as never;
  [solves, outcomes, failure] = [[], [], undefined];
});

const solving = () => {
  const pool = {
    deadlineMs: DEADLINE_MS,
    solve: async (
      request: Parameters<typeof solve>[0],
      demand?: { owners(): readonly { cluster: string; namespace: string }[] },
    ) => {
      solves.push((demand?.owners() ?? []).map(({ cluster, namespace }) => `${cluster}/${namespace}`).join());
      if (failure !== undefined) throw failure;
      return solve(request);
    },
  };
  const solver = new NamespaceSolver(new RecordCache(store, 1_000), pool as never);
  const onSolved = (outcome: string) => void outcomes.push(outcome);
  return new SolveProblem<NamespaceProblems>({ store, solver, solved, log: silentLog, onSolved });
};
const waiting = async () => (await solved.counts()).waiting;

describe('a problem that is to be solved', () => {
  it('gets its solution, and what waits for it is enqueued', async () => {
    const hash = await store.putProblem(problem, records);
    await solving().run(hash, { cluster: 'east', namespace: 'team' });
    expect(await store.getSolution(hash)).toEqual(resolution);
    expect(resolution.result).toBe('resolved');
    expect({ solves, outcomes, waiting: await waiting() }).toEqual({
      solves: ['east/team'],
      outcomes: ['succeeded'],
      waiting: 1,
    });
  });

  it('counts as failed where nothing satisfies it; that is its solution', async () => {
    const { problem: hard } = sampleResolution(
      sampleNamespace({ subscriptions: [sampleSubscription('none')] }),
      catalogs,
    );
    const hash = await store.putProblem(hard, records);
    await solving().run(hash);
    expect((await store.getSolution(hash))?.result).not.toBe('resolved');
    expect(outcomes).toEqual(['failed']);
  });

  it('is not solved twice: the second job only enqueues again what waits for it', async () => {
    const hash = await store.putProblem(problem, records);
    await solving().run(hash);
    await solving().run(hash);
    expect(solves).toHaveLength(1);
    expect(await waiting()).toBe(1);
  });

  it.each<[times: number, because: string, known: Resolution]>([
    [1, 'it was given up under a lower deadline', gaveUpInTime('team', DEADLINE_MS - 1)],
    [0, 'it was given up under this deadline', gaveUpInTime('team', DEADLINE_MS)],
    [0, 'it was given up for another reason', { result: 'error', message: 'too hard' } as Resolution],
  ])('is solved anew %i times where %s', async (times, _, known) => {
    const hash = await store.putProblem(problem, records);
    await store.putSolution(hash, known);
    await solving().run(hash);
    expect(solves).toHaveLength(times);
    expect(await store.getSolution(hash)).toEqual(times === 1 ? resolution : known);
  });

  it.each<[what: string, put: () => Promise<string>]>([
    ['the problem', async () => 'f'.repeat(64)],
    ['one of its package records', async () => store.putProblem(problem, new Map())],
  ])('and of which the store has lost %s has no solution; the applier has it observed anew', async (_, put) => {
    const hash = await put();
    await solving().run(hash);
    expect(await store.getSolution(hash)).toBeUndefined();
    expect([solves, outcomes]).toEqual([[], []]);
    expect(await waiting()).toBe(1);
  });

  it('whose solve fails is left to the queue: no solution, and nothing is enqueued', async () => {
    const hash = await store.putProblem(problem, records);
    failure = new Error('the solver thread ended');
    await expect(solving().run(hash)).rejects.toThrow('the solver thread ended');
    expect(await store.getSolution(hash)).toBeUndefined();
    expect(await waiting()).toBe(0);
  });
});

describe('a job of the queue resolve', () => {
  it.each([
    ['the problem of a namespace', {}, 'namespaces'],
    ['the problem of a ClusterExtension', { extension: true as const }, 'extensions'],
  ])('names %s', async (_, mark, family) => {
    const ran: string[] = [];
    const familyOf = (name: string) => ({
      run: async (hash: string, owner?: object) => void ran.push(`${name} ${hash} ${JSON.stringify(owner)}`),
    });
    const families = { namespaces: familyOf('namespaces'), extensions: familyOf('extensions') };
    const owner = { cluster: 'east', namespace: 'team' };
    await new SolveProblems(families).run({ v: 1, problem: 'hash', owner, ...mark });
    expect(ran).toEqual([`${family} hash ${JSON.stringify(owner)}`]);
  });
});

describe('a solve', () => {
  it('names the package record that is missing', () => {
    expect(() => solve({ problem, records: new Map() })).toThrow(/^package record \w{64} is not in the problem store$/);
  });
});
