import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PolicyModel } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import type { CatalogRow } from '#core/view/rows/rows';
import { ManualClock } from '#platform/clock/manual-clock';
import { PATIENCE } from '#testing/patience';
import { contentAnswer } from './catalog/content.fixture.js';
import { catalogRow, clusterRow, openConsole, operatorRow, type RunningConsole } from './console.fixture.js';
import type { SignIn } from './sign-in/sign-in.js';

const CAUSE = {
  code: 'catalog-unhealthy',
  kind: 'CatalogSource',
  names: ['team-b/secret-b'],
  text: 'secret-b is away',
};
const REFUSED = { code: 'cluster-refused', kind: 'Cluster', names: [], text: 'leads to the same cluster as "hidden"' };

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const privateRow = (cluster: string, letter: string, more: Partial<CatalogRow> = {}): CatalogRow => {
  const { global: _global, ...row } = catalogRow(cluster, digestOf(letter), {
    ...{ id: `source/team-${letter}/secret-${letter}`, namespace: `team-${letter}`, name: `secret-${letter}` },
    image: `registry.example.com/secret-${letter}:latest`,
    ...more,
  });
  return row;
};
const CLUSTER_CATALOG: Partial<CatalogRow> = {
  ...{ id: 'cluster-catalog/everyone', namespace: '', name: 'everyone', source: 'ClusterCatalog' },
};

const ALL = { role: 'viewer', clusters: ['*'] } as const;
const POLICY = PolicyModel.parse({
  grants: [
    { users: ['ann'], ...ALL, role: 'admin' },
    { users: ['a'], ...ALL, clusters: ['east'], namespaces: ['team-a'] },
    { users: ['a-admin'], ...ALL, role: 'admin', clusters: ['east'], namespaces: ['team-a'] },
    { users: ['part'], ...ALL, clusters: ['east'], namespaces: ['team-*'], packages: ['lamp'] },
    { users: ['elsewhere'], ...ALL, clusters: ['west'] },
    { users: ['two'], ...ALL, clusters: ['east'], namespaces: ['team-a'] },
    { users: ['two'], ...ALL, clusters: ['west'], namespaces: ['team-b'] },
  ],
});
const byName: SignIn = {
  personOf: async ({ cookie: name = '' }) => {
    if (name === '') return undefined;
    return { name, groups: [], by: 'oidc', rights: rightsOf(POLICY, { name, groups: [] }), session: name, csrf: name };
  },
};

let run: RunningConsole;
let clock: ManualClock;
beforeAll(async () => {
  clock = new ManualClock('2026-11-25T12:00:00Z');
  const explained = { answer: { because: [], advice: [] } };
  const asker = {
    ask: async (question: Parameters<typeof contentAnswer>[0]) =>
      question.ask === 'explain' ? explained : contentAnswer(question),
  };
  run = await openConsole({}, { clock, signIns: [byName], asker, requests: { perSecond: 1_000, burst: 1_000 } });
  const lamp = operatorRow('east', 'lamp', { id: 'subscription/team-a/lamp', namespace: 'team-a' });
  run.view.write({
    cluster: 'east',
    changed: [
      clusterRow('east', { catalogs: 4, catalogsWell: 3, standing: 'failed', cause: CAUSE }),
      ...[lamp, catalogRow('east', digestOf('c')), catalogRow('east', digestOf('d'), CLUSTER_CATALOG)],
      ...[privateRow('east', 'a'), privateRow('east', 'b', { standing: 'failed', cause: CAUSE, message: CAUSE.text })],
    ],
    removed: [],
  });
  run.view.write({ cluster: 'west', changed: [clusterRow('west', { reach: 'refused', cause: REFUSED })], removed: [] });
  const changed = { at: '2026-11-25T11:00:00Z', kind: 'digest', cluster: 'east', package: '', by: 'hub', comment: '' };
  const digests = { from: digestOf('8'), to: digestOf('9') };
  run.view.writeHistory([
    ...['a', 'b', 'gone'].map((letter) => ({
      ...{ ...changed, kind: 'digest' as const, ...digests },
      ...{ row: `source/team-${letter}/secret-${letter}`, namespace: `team-${letter}` },
    })),
    { ...changed, kind: 'digest', ...digests, row: 'source/olm/samples', namespace: 'olm' },
  ]);
});
afterAll(() => run.service.stop());

const ask = async (who: string, path: string) => {
  const answer = await run.get(path, { cookie: who });
  return { status: answer.status, text: await answer.text() };
};
const items = async (who: string, path: string): Promise<readonly Record<string, unknown>[]> =>
  (JSON.parse((await ask(who, `/api/v1/${path}`)).text) as { items: Record<string, unknown>[] }).items;
const names = async (who: string) => (await items(who, 'catalogs')).map(({ name }) => name);

const LISTS = [
  ...['clusters', 'operators', 'packages', 'plans', 'plan-classes', 'catalogs', 'catalog-rows', 'causes', 'fleet'],
  ...['rollouts', 'changes', 'search?q=secret', 'search?q=team', 'search?q=bbbb', 'catalogs?namespace=team-b'],
  ...['catalog-rows?facets=true', 'catalogs?q=secret-b', 'catalog-rows?standing=failed', 'causes?facets=true'],
  ...['changes?cluster=east', `catalogs?digest=${digestOf('b')}`, 'changes?facets=true'],
];

describe('the private catalog of another namespace', () => {
  it.each(LISTS)('is in no answer of /%s', async (path) => {
    for (const who of ['a', 'a-admin', 'part', 'elsewhere', 'two']) {
      const { status, text } = await ask(who, `/api/v1/${path}`);
      expect([who, status]).toEqual([who, 200]);
      const asked = path.includes('?') ? text.replaceAll(path, '') : text;
      expect(asked).not.toMatch(/secret-b|team-b|bbbb|secret-gone/);
    }
    expect((await ask('ann', '/api/v1/catalogs')).text).toContain('secret-b');
  });

  it.each([
    ['ann', ['everyone', 'olm/samples', 'team-a/secret-a', 'team-b/secret-b']],
    ['a', ['everyone', 'olm/samples', 'team-a/secret-a']],
    ['a-admin', ['everyone', 'olm/samples', 'team-a/secret-a']],
    // A catalog holds any packages: who may see some of them does not see all it holds.
    ['part', ['everyone', 'olm/samples']],
    ['two', ['everyone', 'olm/samples', 'team-a/secret-a']],
    ['elsewhere', []],
  ])('is not among those of %s: %j', async (who, wanted) => expect(await names(who)).toEqual(wanted));

  it.each(['', '/lamp', '/lamp/graph', '?q=lamp', '/none'])('holds nothing for others: packages%s', async (path) => {
    const of = (who: string, letter: string) => ask(who, `/api/v1/catalogs/${letter.repeat(16)}/packages${path}`);
    const there = (await of('ann', 'b')).status;
    for (const who of ['a', 'a-admin', 'part', 'elsewhere', 'two']) expect((await of(who, 'b')).status).toBe(404);
    expect((await of('ann', 'b')).text).not.toBe('');
    expect((await of('a', 'a')).status).toBe(there);
    expect((await of('a', 'c')).status).toBe(there);
    expect((await of('a', 'd')).status).toBe(there);
    // What is not there and what one may not see are the same.
    expect((await of('a', 'b')).text).toBe((await of('a', 'e')).text);
  });

  it('is explained to who sees it alone', async () => {
    const explain = async (who: string, letter: string) => {
      const catalog = {
        ...{ cluster: 'east', kind: 'CatalogSource', namespace: `team-${letter}`, name: `secret-${letter}` },
      };
      const headers = { cookie: who, 'x-csrf-token': who, 'sec-fetch-site': 'same-origin' };
      return (await run.post('/api/v1/questions/explain', catalog, headers)).status;
    };
    expect([await explain('ann', 'b'), await explain('a', 'b'), await explain('part', 'b')]).toEqual([200, 404, 404]);
    expect([await explain('a', 'a'), await explain('part', 'a')]).toEqual([200, 404]);
  });

  it('counts for no others', async () => {
    expect(await items('a', 'clusters')).toMatchObject([{ catalogs: 3, catalogsWell: 3, standing: 'well' }]);
    expect(await items('part', 'clusters')).toMatchObject([{ catalogs: 2, catalogsWell: 2 }]);
    expect(await items('ann', 'clusters?cluster=east')).toMatchObject([{ catalogs: 4, catalogsWell: 3 }]);
    expect(await items('a', 'causes')).toEqual([]);
  });

  it('changes for who sees it alone', async () => {
    const changed = async (who: string) => (await items(who, 'changes?kind=digest')).map(({ namespace }) => namespace);
    expect(await changed('ann')).toEqual(['team-a', 'team-b', 'team-gone', 'olm']);
    expect(await changed('a')).toEqual(['team-a', 'olm']);
    expect(await changed('part')).toEqual(['olm']);
  });

  it('is in no stream of others', async () => {
    const got: Record<string, string> = {};
    for (const who of ['a', 'part', 'ann']) {
      const { body } = await run.get('/api/v1/events', { cookie: who });
      got[who] = '';
      void (async () => {
        const decoder = new TextDecoder();
        for await (const piece of body ?? []) got[who] += decoder.decode(piece, { stream: true });
      })().catch(() => undefined);
    }
    await expect.poll(() => Object.values(got).every((text) => text.includes('id: ')), PATIENCE).toBe(true);
    run.view.write({ cluster: 'east', changed: [privateRow('east', 'b', { packages: 9 })], removed: [] });
    run.view.write({ cluster: 'east', changed: [catalogRow('east', digestOf('c'), { packages: 8 })], removed: [] });
    const all = async () => {
      await clock.advance(500);
      return Object.values(got).every((text) => text.includes('"samples"'));
    };
    await expect.poll(all, PATIENCE).toBe(true);
    expect(got['ann']).toContain('secret-b');
    for (const who of ['a', 'part']) expect(got[who]).not.toMatch(/secret-b|team-b/);
  });
});

describe('a cluster that the hub does not use as it stands', () => {
  it('names no other cluster to who does not see all of them', async () => {
    expect(await items('elsewhere', 'clusters')).toMatchObject([
      {
        cause: {
          text: 'The hub does not use this cluster in its present state. Its administrators can see the cause.',
        },
      },
    ]);
    for (const path of LISTS) expect((await ask('elsewhere', `/api/v1/${path}`)).text).not.toContain('hidden');
    expect(await items('ann', 'clusters?cluster=west')).toMatchObject([{ cause: REFUSED }]);
  });
});
