import { afterEach, describe, expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { PATIENCE } from '#testing/patience';
import type { SolveRequest } from './solve.js';
import { SolverPool } from './solver-pool.js';

/** A thread that does what the name of the namespace says, and answers with the records that it was sent. */
const THREAD = `
  import { parentPort, threadId } from 'node:worker_threads';
  const held = new Set();
  parentPort.on('message', ({ problem, change }) => {
    const name = problem.wishes.namespace;
    for (const hash of change.forget) held.delete(hash);
    for (const hash of change.add.keys()) held.add(hash);
    if (name === 'hangs') return;
    if (name === 'fails') return parentPort.postMessage({ error: 'a record is missing' });
    if (name === 'crashes') throw new Error('a fault of the solver');
    if (name === 'exits') process.exit(3);
    parentPort.postMessage({ resolution: { name, threadId, sent: [...change.add.keys()], held: [...held] } });
  });
  parentPort.postMessage({ ready: true });
`;
const FILE = new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`);

type Answer = Readonly<{ name: string; threadId: number; sent: string[]; held: string[] }>;
const answerOf = (resolution: Resolution) => resolution as unknown as Answer;
const request = (namespace: string, ...records: string[]): SolveRequest =>
  ({
    problem: { wishes: { namespace } },
    records: new Map(records.map((hash) => [hash, { name: hash, entries: [] } as unknown as PackageRecord])),
  }) as unknown as SolveRequest;
const limiter = (total: number) => new FairLimiter({ total, perCluster: total, perNamespace: total });

let pool: SolverPool;
const poolOf = (deadlineMs = 10_000, firstMs = 2_000, idleMs = 60_000) => {
  pool = new SolverPool(1, deadlineMs, FILE, 64, { first: limiter(1), slow: limiter(1), firstMs }, idleMs);
  return pool;
};
afterEach(() => pool.close());

describe('the threads that solve', () => {
  it('are used again, and are sent each package record once', async () => {
    const { solve } = bound(poolOf());
    const first = answerOf(await solve(request('a', 'x', 'y')));
    const second = answerOf(await solve(request('b', 'y', 'z')));
    expect(first).toMatchObject({ name: 'a', sent: ['x', 'y'] });
    expect(second).toMatchObject({ name: 'b', threadId: first.threadId, sent: ['z'], held: ['x', 'y', 'z'] });
  });

  it('that report an error keep their work for the next problem', async () => {
    const { solve } = bound(poolOf());
    const { threadId } = answerOf(await solve(request('a', 'x')));
    await expect(solve(request('fails'))).rejects.toThrow('a record is missing');
    expect(answerOf(await solve(request('b', 'x')))).toMatchObject({ threadId, sent: [] });
  });

  it('end where nothing was to be solved for a while, and the next problem gets a new one', async () => {
    const { solve, threads } = bound(poolOf(10_000, 2_000, 20));
    const { threadId } = answerOf(await solve(request('a', 'x')));
    await expect.poll(threads, PATIENCE).toBe(0);
    const next = answerOf(await solve(request('b', 'x')));
    expect(next.threadId).not.toBe(threadId);
    expect(next).toMatchObject({ name: 'b', sent: ['x'], held: ['x'] });
  });

  it.each([
    ['crashes', 'a fault of the solver'],
    ['exits', 'the solver thread ended'],
  ])('of which one %s are replaced, and the new one holds nothing yet', async (name, message) => {
    const { solve } = bound(poolOf());
    const { threadId } = answerOf(await solve(request('a', 'x')));
    await expect(solve(request(name))).rejects.toThrow(message);
    const next = answerOf(await solve(request('b', 'x')));
    expect(next.sent).toEqual(['x']);
    expect(next.threadId).not.toBe(threadId);
  });

  it('end with a solve past its deadline: the answer explains it, and the next problem is solved', async () => {
    const { solve } = bound(poolOf(20));
    expect(await solve(request('hangs'))).toMatchObject({
      result: 'error',
      message: expect.stringMatching(/^resolution of namespace hangs took longer than 20 ms and was ended/),
      deadlineMs: 20,
    });
    expect(answerOf(await solve(request('b')))).toMatchObject({ name: 'b' });
  });

  it('solve no more after the end, and do not hold up their process', async () => {
    const { solve } = bound(poolOf());
    await solve(request('a'));
    await pool.close();
    await expect(solve(request('b'))).rejects.toThrow('the solver is closed');
  });
});

describe('a problem that takes long', () => {
  it('leaves the first lane to the others', async () => {
    const { solve } = bound(poolOf(200, 10));
    const long = solve(request('hangs'));
    expect(answerOf(await solve(request('b')))).toMatchObject({ name: 'b' });
    expect(await long).toMatchObject({ result: 'error', deadlineMs: 200 });
  });

  it('is refused where 24 others wait for the slow lane: the queue tries it again', async () => {
    const slow = limiter(1);
    pool = new SolverPool(1, 10_000, FILE, 64, { first: limiter(1), slow, firstMs: 0 });
    Object.defineProperty(slow, 'waiting', { value: 24 });
    slow.tryEnter = () => undefined;
    await expect(pool.solve(request('hangs'))).rejects.toMatchObject({
      code: 'SolverBusy',
      retry: 'backoff',
      message: 'the problem of namespace hangs takes long, and 24 others wait for the slow lane: it is retried',
    });
  });
});

const bound = (of: SolverPool) => ({ solve: of.solve.bind(of), threads: () => of.threads });
