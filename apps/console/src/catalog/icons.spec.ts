import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PolicyModel } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import { ManualClock } from '#platform/clock/manual-clock';
import { PackageDetail, PackageTileList } from '../api/catalogs.schema.js';
import { catalogRow, clusterRow, openConsole, type RunningConsole } from '../console.fixture.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { contentAnswer, ICON, ICON_HASH } from './content.fixture.js';
import { IconAddresses } from './icon-addresses.js';
import { Icons } from './icons.js';

const DAY = 24 * 3_600_000;
const [PRIVATE, SHARED] = ['b'.repeat(16), 'c'.repeat(16)];
const POLICY = PolicyModel.parse({
  grants: [
    { users: ['ann'], role: 'viewer', clusters: ['*'] },
    { users: ['a'], role: 'viewer', clusters: ['*'], namespaces: ['team-a'] },
  ],
});
const byName: SignIn = {
  personOf: async ({ cookie: name = '' }) => {
    if (name === '') return undefined;
    return { name, groups: [], by: 'oidc', rights: rightsOf(POLICY, { name, groups: [] }), session: name, csrf: name };
  },
};

describe('the icon of a package', () => {
  let run: RunningConsole;
  let clock: ManualClock;
  let asked: number;
  beforeEach(async () => {
    clock = new ManualClock();
    asked = 0;
    const ask = async (question: Parameters<typeof contentAnswer>[0]) => {
      if (question.ask === 'icon') asked += 1;
      return contentAnswer(question);
    };
    run = await openConsole({}, { clock, signIns: [byName], asker: { ask } });
    const { global: _global, ...row } = catalogRow('east', `sha256:${'b'.repeat(64)}`);
    const own = { ...row, id: 'source/team-b/own', namespace: 'team-b', name: 'own' };
    const shared = catalogRow('east', `sha256:${'c'.repeat(64)}`);
    run.view.write({ cluster: 'east', changed: [clusterRow('east'), own, shared], removed: [] });
  });
  afterEach(() => run.service.stop());

  const bare = (id: string, name = 'lamp', hash = ICON_HASH) => `/icons/${id}/${name}/${hash}`;
  /** As the pages have it. */
  const given = async (who: string, id: string) => {
    const answer = await run.get(`/api/v1/catalogs/${id}/packages`, { cookie: who });
    return PackageTileList.parse(await answer.json()).items[0]?.icon ?? '';
  };
  const status = async (path: string, cookie = '') => (await run.get(path, { cookie })).status;

  it('is given to who has its address from an answer, without a sign-in', async () => {
    const path = await given('ann', PRIVATE);
    expect(path).toMatch(/^\/icons\/b{16}\/lamp\/[0-9a-f]{64}\?code=[\w-]{22}$/);
    const reply = await run.get(path, {});
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(ICON);
    expect(reply.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const detail = await run.get(`/api/v1/catalogs/${PRIVATE}/packages/lamp`, { cookie: 'ann' });
    expect(PackageDetail.parse(await detail.json()).icon).toBe(path);
  });

  it('is given to who sees its content, and to no others', async () => {
    expect(await status(bare(PRIVATE), 'ann')).toBe(200);
    // Kept by now: nothing is asked, and it is not theirs all the same.
    for (const who of ['a', '']) expect(await status(bare(PRIVATE), who)).toBe(404);
    expect(await status(bare(SHARED), 'a')).toBe(200);
    expect(await status(bare(SHARED), '')).toBe(404);
  });

  it('has a code for this icon alone, which ends', async () => {
    const code = (await given('ann', SHARED)).split('?')[1] ?? '';
    expect(await status(`${bare(SHARED)}?${code}`)).toBe(200);
    for (const path of [bare(PRIVATE), bare(SHARED, 'harbor'), bare(SHARED, 'lamp', '0'.repeat(64))])
      expect(await status(`${path}?${code}`)).toBe(404);
    for (const other of ['code=', `code=${'A'.repeat(22)}`, `${code}&${code}`, `${code}A`, 'code[]=x'])
      expect(await status(`${bare(SHARED)}?${other}`)).toBe(404);
    await clock.advance(14 * DAY);
    expect(await status(`${bare(SHARED)}?${code}`)).toBe(200);
    await clock.advance(14 * DAY);
    expect(await status(`${bare(SHARED)}?${code}`)).toBe(404);
  });

  it('asks no poller for strangers, who are bounded by themselves', async () => {
    const strange = await Promise.all(Array.from({ length: 500 }, (_, at) => status(bare(PRIVATE, `p${at}`))));
    expect(strange.filter((one) => one === 404)).toHaveLength(30);
    expect(strange.filter((one) => one === 429)).toHaveLength(470);
    expect(asked).toBe(0);
    const path = await given('ann', PRIVATE);
    expect([await status(path), await status(bare(SHARED), 'ann')]).toEqual([200, 200]);
    // Both have the same bytes.
    expect(asked).toBe(1);
  });
});

describe('codes of icons', () => {
  const clock = new ManualClock();
  const address = { id: SHARED, name: 'lamp', hash: ICON_HASH };
  const codeOf = (path: string) => path.split('=')[1];

  it('are the same for all consoles with one key, and for no other', () => {
    const code = codeOf(new IconAddresses('key', clock).pathOf(address));
    expect(new IconAddresses('key', clock).admits(address, code)).toBe(true);
    expect(new IconAddresses('other', clock).admits(address, code)).toBe(false);
  });

  it('are bound to each part', () => {
    const icons = new IconAddresses('key', clock);
    const code = codeOf(icons.pathOf({ ...address, id: 'ab', name: 'c' }));
    expect(icons.admits({ ...address, id: 'a', name: 'bc' }, code)).toBe(false);
    expect(icons.pathOf({ ...address, hash: '' })).toBe('');
    expect(icons.pathOf({ ...address, name: 'x'.repeat(254) })).toBe('');
  });
});

describe('icons that are read', () => {
  const row = catalogRow('east', `sha256:${'c'.repeat(64)}`);
  const rows = { rows: { catalogs: [row], clusters: [] } } as never;
  const svg = (at: number) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${at}"></svg>`);
  const addressOf = (at: number) => ({
    ...{ id: SHARED, name: `p${at}` },
    hash: createHash('sha256').update(svg(at)).digest('hex'),
  });

  it('take turns between clients: one that wants many does not hold up another', async () => {
    const order: string[] = [];
    const ask = async ({ package: name = '' }: { package?: string }) => {
      order.push(name);
      await new Promise((later) => setImmediate(later));
      return { answer: { base64: svg(Number(name.slice(1))).toString('base64') } };
    };
    const icons = new Icons(rows, { ask: ask as never });
    const greedy = Array.from({ length: 390 }, (_, at) => icons.reply(addressOf(at), 'greedy'));
    const other = await icons.reply(addressOf(500), 'other');
    expect(other?.status).toBe(200);
    expect(order.indexOf('p500')).toBeLessThan(10);
    expect((await Promise.all(greedy)).every((one) => one?.status === 200)).toBe(true);
  });

  it('are asked for once, however many ask at the same time; and one client waits for 400 at most', async () => {
    let asked = 0;
    const held = Promise.withResolvers<void>();
    const ask = async ({ package: name = '' }: { package?: string }) => {
      asked += 1;
      await held.promise;
      return { answer: { base64: svg(Number(name.slice(1))).toString('base64') } };
    };
    const icons = new Icons(rows, { ask: ask as never });
    const same = Array.from({ length: 500 }, () => icons.reply(addressOf(1), 'one'));
    const many = Array.from({ length: 450 }, (_, at) => icons.reply(addressOf(at + 10), 'one'));
    held.resolve();
    expect((await Promise.all(same)).every((one) => one?.status === 200)).toBe(true);
    expect((await Promise.all(many)).filter((one) => one?.status === 200)).toHaveLength(399);
    expect(asked).toBe(400);
  });
});
