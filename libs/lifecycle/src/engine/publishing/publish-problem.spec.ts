import { describe, expect, it } from 'vitest';
import { gaveUpInTime } from '#core/classic/resolution/problem/given-up';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { changeOf } from '#core/kernel/change/change-id';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { applyContract, resolveContract, solvedContract } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import { silentLog } from '#platform/telemetry/log.port';
import { NamespaceSolver } from '../../solve/namespace-solver.js';
import { SolveProblem } from '../../solve/solve-problem.js';
import { NAMESPACE_RULES } from './problem-families.js';
import { type PublishedChange, publishProblem } from './publish-problem.js';

const problem: ResolutionProblem = {
  wishes: { namespace: 'apps', globalCatalogNamespace: 'olm', operatorGroups: [], subscriptions: [], installed: [] },
  catalogs: [],
} as never;
const where = { cluster: 'east', namespace: 'apps' };

describe('a problem that was given up after a minute', () => {
  it.for([
    [60_000, 0],
    [120_000, 1],
  ] as const)(
    'with a deadline of %i ms is solved anew %i times',
    async ([solveDeadlineMs, times], { expect: expecting }) => {
      const store = new MemoryProblemStore();
      const resolve = new MemoryJobQueue(resolveContract);
      const apply = new MemoryJobQueue(applyContract);
      const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs };
      const hash = await store.putProblem(problem, new Map());
      await store.putSolution(hash, gaveUpInTime('apps', 60_000));
      const observed = { hash, problem, records: new Map() };
      await publishProblem<NamespaceProblems>(deps, where, observed, {});
      expecting((await resolve.counts()).waiting).toBe(times);

      const answer = { result: 'resolved', chosen: [], subscriptionsCreated: [], subscriptionsUpdated: [] } as const;
      const pool = { deadlineMs: solveDeadlineMs, solve: async () => answer };
      const solved = new MemoryJobQueue(solvedContract);
      const solver = new NamespaceSolver(new RecordCache(store, 1_000), pool);
      await new SolveProblem<NamespaceProblems>({
        store,
        solver,
        solved,
        log: silentLog,
        onSolved: () => undefined,
      }).run(hash, where);
      expecting((await store.getSolution(hash))?.result).toBe(times === 1 ? 'resolved' : 'error');
      await publishProblem<NamespaceProblems>(deps, where, observed, {});
      expecting((await resolve.counts()).waiting).toBe(times);
    },
  );
});

describe('a problem that has not changed', () => {
  class CountingStore extends MemoryProblemStore {
    puts = 0;
    override putObservation(...put: Parameters<MemoryProblemStore['putObservation']>) {
      this.puts += 1;
      return super.putObservation(...put);
    }
  }

  it('is not put again while all of it is there, and the subject gets its pass all the same', async () => {
    const store = new CountingStore();
    const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
    const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000 };
    const hash = await store.putProblem(problem, new Map());
    const publish = () => publishProblem<NamespaceProblems>(deps, where, { hash, problem, records: new Map() }, {});
    await publish();
    await publish();
    expect([store.puts, (await resolve.counts()).waiting], 'while it is not solved').toEqual([2, 1]);
    await store.putSolution(hash, { result: 'error', message: 'no', advice: 'none' });
    await publish();
    expect([store.puts, (await apply.counts()).waiting], 'once it is solved').toEqual([2, 1]);
    store.clear();
    await publish();
    expect(store.puts, 'after the store was emptied').toBe(3);
    expect((await store.getObservation('east', 'apps'))?.problem).toBe(hash);
  });
});

describe('a change', () => {
  it('is reported once for each problem that differs from the one before, with its name and time', async () => {
    const store = new MemoryProblemStore();
    const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
    const changes: PublishedChange[] = [];
    const onChange = (change: PublishedChange) => void changes.push(change);
    const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000, onChange };
    const other: ResolutionProblem = { ...problem, catalogs: [{ key: { namespace: 'olm', name: 'shelf' } }] } as never;
    const publish = async (one: ResolutionProblem, sinceMs: number) => {
      const hash = await store.putProblem(one, new Map());
      await publishProblem<NamespaceProblems>(
        deps,
        where,
        { hash, problem: one, records: new Map() },
        {},
        'now',
        sinceMs,
      );
      return hash;
    };
    const [first, , second] = [await publish(problem, 1), await publish(problem, 2), await publish(other, 3)];
    expect(changes).toEqual([
      { change: changeOf(where, first), problem: first, subject: where, owner: where, sinceMs: 1 },
      { change: changeOf(where, second), problem: second, subject: where, owner: where, sinceMs: 3 },
    ]);
  });
});

describe('where no pass is urgent', () => {
  const publishing = async () => {
    const store = new MemoryProblemStore();
    const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
    const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000 };
    const hash = await store.putProblem(problem, new Map());
    const observed = { hash, problem, records: new Map() };
    const publish = async (what: 'the problem' | 'nothing' = 'the problem') => ({
      enqueued: await publishProblem<NamespaceProblems>(
        deps,
        where,
        what === 'nothing' ? undefined : observed,
        { Role: '7' },
        'for-news',
      ),
      passes: (await apply.counts()).waiting,
      solves: (await resolve.counts()).waiting,
    });
    return { store, hash, publish };
  };

  it('none is enqueued, but everything else is published', async () => {
    const { store, publish } = await publishing();
    expect(await publish('nothing')).toEqual({ enqueued: false, passes: 0, solves: 0 });
    expect(await store.getSeen('east', 'apps', ['Role'])).toEqual({ Role: '7' });
    expect(await publish()).toEqual({ enqueued: false, passes: 0, solves: 1 });
    expect(await store.takeWaiters((await store.getObservation('east', 'apps'))?.problem ?? '')).toEqual([where]);
  });

  it('one is enqueued for a new problem whose solution is there already, and none once it is known', async () => {
    const { store, hash, publish } = await publishing();
    await store.putSolution(hash, { result: 'error', message: 'no', advice: 'none' });
    expect(await publish()).toEqual({ enqueued: true, passes: 1, solves: 0 });
    expect(await publish()).toMatchObject({ enqueued: false });
  });
});

describe('a subject that was at rest when the process began', () => {
  const publishing = async () => {
    const store = new MemoryProblemStore();
    const [resolve, apply] = [new MemoryJobQueue(resolveContract), new MemoryJobQueue(applyContract)];
    const deps = { rules: NAMESPACE_RULES, store, seen: store, resolve, apply, solveDeadlineMs: 1_000 };
    const hash = await store.putProblem(problem, new Map());
    await store.putSolution(hash, { result: 'error', message: 'no', advice: 'none' });
    const observed = { hash, problem, records: new Map() };
    const publish = () => publishProblem<NamespaceProblems>(deps, where, observed, { Role: '7' }, 'if-known');
    const known = () => store.getObservation('east', 'apps');
    return { store, hash, publish, known };
  };

  it('is not published where Redis was emptied, so that it does not wait for the solution with all others', async () => {
    const { store, hash, publish, known } = await publishing();
    expect(await publish()).toBe(false);
    expect([await known(), await store.takeWaiters(hash)]).toEqual([undefined, []]);
    expect(await store.getSeen('east', 'apps', ['Role'])).toEqual({ Role: '7' });
  });

  it('gets no pass where its problem is the one that is known', async () => {
    const { store, hash, publish } = await publishing();
    await store.putObservation('east', 'apps', { problem: hash });
    expect(await publish()).toBe(false);
  });

  it('is published where a catalog has changed since', async () => {
    const { store, hash, publish, known } = await publishing();
    await store.putObservation('east', 'apps', { problem: 'a'.repeat(64) });
    expect(await publish()).toBe(true);
    expect(await known()).toEqual({ problem: hash });
  });
});
