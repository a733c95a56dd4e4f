import { expect, it } from 'vitest';
import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { ProblemStore } from '#platform/store/problem-store.port';

export const record = (name: string, description = ''): PackageRecord => ({
  name,
  defaultChannel: 'stable',
  entries: [
    {
      name: `${name}.v1.0.0`,
      channel: 'stable',
      version: '1.0.0',
      replaces: '',
      skips: [],
      skipRange: '',
      properties: [{ type: 'text', value: description }],
      source: { image: `registry.test/${name}@sha256:${'0'.repeat(64)}` },
    },
  ],
});

export const problem = (namespace: string, records: readonly PackageRecord[]): ResolutionProblem => ({
  v: 1,
  wishes: { namespace, globalCatalogNamespace: 'olm', operatorGroups: [], subscriptions: [], csvs: [] },
  catalogs: [
    {
      key: { namespace: 'olm', name: 'catalog' },
      priority: 0,
      empty: false,
      packages: records.map((of) => ({ name: of.name, record: canonicalHash(of) })),
    },
  ],
});

export const byHash = (...records: PackageRecord[]) => new Map(records.map((of) => [canonicalHash(of), of]));

const solution = { result: 'unsatisfiable', message: 'no', explanation: [], advice: 'ask again' } satisfies Resolution;
const absent = 'f'.repeat(64);

/** Tests of every ProblemStore. */
export function problemStoreConformance(make: () => ProblemStore): void {
  it('gives back a problem and its records by their hashes, whatever their size', async () => {
    const store = make();
    const records = [record('small'), record('large', 'ä lot of text '.repeat(50_000))];
    const value = problem('apps', records);
    const hash = await store.putProblem(value, byHash(...records));
    expect(hash).toBe(canonicalHash(value));
    expect(await store.getProblem(hash)).toEqual(value);
    for (const of of records) expect(await store.getRecord(canonicalHash(of))).toEqual(of);
  });

  it('answers undefined for what is not there', async () => {
    const store = make();
    expect(await store.getProblem(absent)).toBeUndefined();
    expect(await store.getRecord(absent)).toBeUndefined();
    expect(await store.getSolution(absent)).toBeUndefined();
    expect(await store.getObservation('east', 'apps')).toBeUndefined();
    expect(await store.takeWaiters(absent)).toEqual([]);
  });

  it('keeps the newest solution and the newest observation of a namespace', async () => {
    const store = make();
    await store.putSolution(absent, { ...solution, message: 'older' });
    await store.putSolution(absent, solution);
    expect(await store.getSolution(absent)).toEqual(solution);
    await store.putObservation('east', 'apps', { problem: 'a'.repeat(64) });
    await store.putObservation('east', 'apps', { problem: 'b'.repeat(64) });
    await store.putObservation('west', 'apps', { problem: 'c'.repeat(64) });
    expect(await store.getObservation('east', 'apps')).toEqual({ problem: 'b'.repeat(64) });
  });

  it('knows what was published a short while ago, until any of it is missing or another', async () => {
    const store = make();
    const records = [record('one'), record('two')];
    const value = problem('apps', records);
    const hash = await store.putProblem(value, byHash(...records));
    const subject = { cluster: 'east', namespace: 'apps' };
    const published = { subject, owner: subject, problem: hash, records: records.map((of) => canonicalHash(of)) };
    expect(await store.isPublished(published), 'no observation').toBe(false);
    await store.putObservation('east', 'apps', { problem: hash });
    expect(await store.isPublished(published), 'no solution').toBe(false);
    await store.putSolution(hash, solution);
    expect(await store.isPublished(published)).toBe(true);
    expect(await store.takeWaiters(hash)).toEqual([subject]);
    expect(await store.isPublished({ ...published, problem: absent }), 'another problem').toBe(false);
    expect(await store.isPublished({ ...published, records: [...published.records, absent] }), 'a record').toBe(false);
    expect(await store.isPublished({ ...published, owner: { ...subject, namespace: 'b' } }), 'elsewhere').toBe(false);
    await store.dropSolution(hash);
    expect(await store.isPublished(published), 'a solution that was dropped').toBe(false);
    await store.putSolution(hash, solution);
    await store.putObservation('east', 'apps', { problem: absent });
    expect(await store.isPublished(published), 'observed anew').toBe(false);
  });

  it('gives each waiter once, in a fixed order, and again to the one who follows a resolver that died', async () => {
    const store = make();
    for (const namespace of ['b', 'a', 'b']) await store.waitFor(absent, { cluster: 'east', namespace });
    const first = await store.takeWaiters(absent);
    expect(first).toEqual([
      { cluster: 'east', namespace: 'a' },
      { cluster: 'east', namespace: 'b' },
    ]);
    await store.waitFor(absent, { cluster: 'west', namespace: 'a' });
    expect(await store.takeWaiters(absent)).toEqual([...first, { cluster: 'west', namespace: 'a' }]);
  });

  it('gives waiters of every kind of subject, none of them for another', async () => {
    const store = make();
    const waiters = [
      { cluster: 'east', extension: 'apps' },
      { cluster: 'east', namespace: 'apps' },
      { cluster: 'east', objectSet: 'apps' },
    ];
    for (const waiter of waiters) await store.waitFor(absent, waiter);
    expect(await store.takeWaiters(absent)).toEqual(waiters);
  });

  it('no namespace waits in vain, however poller and resolver interleave', async () => {
    for (let round = 0; round < 20; round++) {
      const store = make();
      const hash = round.toString(16).padStart(64, '0');
      const poller = async () => {
        await store.waitFor(hash, { cluster: 'east', namespace: 'apps' });
        return (await store.getSolution(hash)) !== undefined;
      };
      const resolver = async () => {
        await store.putSolution(hash, solution);
        return (await store.takeWaiters(hash)).length > 0;
      };
      const reported = await Promise.all(round % 2 === 0 ? [poller(), resolver()] : [resolver(), poller()]);
      expect(reported).toContain(true);
    }
  });

  it('what was given out can be changed without changing what is kept', async () => {
    const store = make();
    const value = problem('apps', []);
    const hash = await store.putProblem(value, new Map());
    Object.assign(((await store.getProblem(hash)) ?? value).wishes, { namespace: 'changed' });
    expect((await store.getProblem(hash))?.wishes.namespace).toBe('apps');
  });
}
