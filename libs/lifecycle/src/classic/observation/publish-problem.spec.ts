import { describe, it } from 'vitest';
import { gaveUpInTime } from '#core/classic/resolution/given-up';
import type { ResolutionProblem } from '#core/classic/resolution/resolution-problem';
import { MemoryJobQueue } from '#platform/queue/memory-job-queue';
import { applyContract, resolveContract, solvedContract } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { RecordCache } from '#platform/store/record-cache';
import { silentLog } from '#platform/telemetry/log.port';
import { SolveProblem } from '../../solve/solve-problem.js';
import { publishProblem } from './publish-problem.js';

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
      const deps = { store, resolve, apply: new MemoryJobQueue(applyContract), solveDeadlineMs };
      const hash = await store.putProblem(problem, new Map());
      await store.putSolution(hash, gaveUpInTime('apps', 60_000));
      const observed = { hash, problem, records: new Map() };
      await publishProblem(deps, where, observed, {});
      expecting((await resolve.counts()).waiting).toBe(times);

      const answer = { result: 'resolved', chosen: [], subscriptionsCreated: [], subscriptionsUpdated: [] } as const;
      const pool = { deadlineMs: solveDeadlineMs, solve: async () => answer };
      const solved = new MemoryJobQueue(solvedContract);
      const records = new RecordCache(store, 1_000);
      await new SolveProblem(store, records, pool, solved, silentLog, () => undefined).run(hash, where);
      expecting((await store.getSolution(hash))?.result).toBe(times === 1 ? 'resolved' : 'error');
      await publishProblem(deps, where, observed, {});
      expecting((await resolve.counts()).waiting).toBe(times);
    },
  );
});
