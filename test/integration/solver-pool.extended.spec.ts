import { afterEach, describe, expect, it } from 'vitest';
import type { Property } from '#core/catalog/model/catalog';
import type { EntryRecord, PackageRecord } from '#core/catalog/model/package-record';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { Demand } from '#platform/fairness/demand';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import { PATIENCE } from '#testing/patience';
import type { SolveRequest } from '../../libs/lifecycle/src/solve/solve.js';
import { SolverPool } from '../../libs/lifecycle/src/solve/solver-pool.js';

/** Threads run built files. */
const THREAD = new URL('../../dist/libs/lifecycle/src/solve/solve.thread.js', import.meta.url);

const entry = (pkg: string, properties: readonly Property[]): EntryRecord => ({
  name: `${pkg}.v1.0.0`,
  channel: 'stable',
  version: '1.0.0',
  replaces: '',
  skips: [],
  skipRange: '',
  properties: [{ type: 'olm.package', value: { packageName: pkg, version: '1.0.0' } }, ...properties],
  source: { image: `registry.example/${pkg}:1` },
});
const label = (text: string): Property => ({ type: 'olm.label', value: { label: text } });
const needsLabel = (text: string): Property => ({ type: 'olm.label.required', value: { label: text } });
const record = (pkg: string, ...properties: Property[]): PackageRecord => ({
  name: pkg,
  defaultChannel: 'stable',
  entries: [entry(pkg, properties)],
});

function request(namespace: string, operators: readonly string[], packages: readonly PackageRecord[]): SolveRequest {
  const sorted = packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const problem: ResolutionProblem = {
    v: 1,
    wishes: {
      namespace,
      globalCatalogNamespace: 'olm',
      operatorGroups: [{ name: 'group', upgradeStrategy: '', excludeGlobal: false }],
      subscriptions: operators.map((name) => ({
        name,
        package: name,
        channel: 'stable',
        startingCSV: '',
        source: 'shelf',
        sourceNamespace: 'olm',
        installedCSV: '',
        currentCSV: '',
      })),
      csvs: [],
    },
    catalogs: [
      {
        key: { namespace: 'olm', name: 'shelf' },
        priority: 0,
        empty: false,
        packages: sorted.map(({ name }) => ({ name, record: name })),
      },
    ],
  };
  return { problem, records: new Map(packages.map((one) => [one.name, one])) };
}

/**
 * A problem of guests who each want a room, reached through a key. The search finds only deep down that there
 * is one room too few.
 */
function fullHouse(guests: number): SolveRequest {
  const range = (count: number) => Array.from({ length: count }, (_, at) => at);
  const rooms = range(guests - 1);
  const names = range(guests).map((guest) => `guest-${guest}`);
  const packages = names.flatMap((guest) => [
    record(guest, needsLabel(`key of ${guest}`)),
    ...rooms.flatMap((room) => [
      record(`${guest}-key-${room}`, label(`key of ${guest}`), needsLabel(`${guest} in ${room}`)),
      record(`${guest}-room-${room}`, label(`${guest} in ${room}`), {
        type: 'olm.gvk',
        value: { group: 'hotel.test', version: 'v1', kind: `Room${room}` },
      }),
    ]),
  ]);
  return request('hotel', names, packages);
}
const easy = (namespace: string) => request(namespace, ['inn'], [record('inn')]);

describe('the pool of solver threads', () => {
  let pool: SolverPool | undefined;
  afterEach(() => pool?.close());

  it('ends a solve past its deadline with an explanation, and the problems behind it are solved all the same', async () => {
    pool = new SolverPool(1, 2_500, THREAD);
    const answers = await Promise.all([pool.solve(fullHouse(14)), pool.solve(easy('one')), pool.solve(easy('two'))]);
    expect(answers.map(({ result }) => result)).toEqual(['error', 'resolved', 'resolved']);
    expect(answers[0]).toMatchObject({
      message: expect.stringMatching(
        /^resolution of namespace hotel took longer than 2500 ms and was ended: name a channel .* FLOTILLA_SOLVE_DEADLINE$/,
      ),
      deadlineMs: 2_500,
    });
  });

  it('keeps its thread for first solves, however many problems need long', async () => {
    const [first, slow] = [1, 1].map((total) => new FairLimiter({ total, perCluster: total, perNamespace: total }));
    if (first === undefined || slow === undefined) throw new Error('no limiters');
    pool = new SolverPool(1, 120_000, THREAD, undefined, { first, slow, firstMs: 2_000 });
    const leaving = new AbortController();
    const hard = [1, 2, 3].map((tenant) =>
      pool?.solve(fullHouse(14), Demand.of({ cluster: 'west', namespace: `t-${tenant}` }, leaving.signal)),
    );
    const ended = Promise.allSettled(hard);
    await expect.poll(() => slow.running, PATIENCE).toBe(1);
    const answer = await pool.solve(easy('one'), Demand.of({ cluster: 'east', namespace: 'one' }));
    expect(answer.result).toBe('resolved');
    expect(slow.running, 'the hard ones still go on').toBe(1);
    leaving.abort();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('ends a solve that takes too much memory with its thread, not with the process', async () => {
    pool = new SolverPool(1, 20_000, THREAD, 24);
    const flood = Array.from({ length: 30_000 }, (_, at) => record(`flood-${at}`, label(`drop ${at}`)));
    const answers = await Promise.all([pool.solve(request('delta', ['flood-1'], flood)), pool.solve(easy('one'))]);
    expect(answers.map(({ result }) => result)).toEqual(['error', 'resolved']);
    expect(answers[0]).toMatchObject({
      message: expect.stringMatching(
        /^resolution of namespace delta took more memory than 24 MiB and was ended: name a /,
      ),
    });
  });

  it('solves problems that share records, whatever a thread was sent before', async () => {
    pool = new SolverPool(2, 20_000, THREAD);
    const all = ['one', 'two', 'three', 'four', 'five'].map((namespace) => easy(namespace));
    const answers = await Promise.all(all.map((one) => pool?.solve(one)));
    expect(answers.map((answer) => answer?.result)).toEqual(all.map(() => 'resolved'));
  });

  it('says which record is missing, and goes on', async () => {
    pool = new SolverPool(1, 20_000, THREAD);
    const { problem } = easy('one');
    await expect(pool.solve({ problem, records: new Map() })).rejects.toThrow(
      'package record inn is not in the problem store',
    );
    expect((await pool.solve(easy('one'))).result).toBe('resolved');
  });
});
