import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { Refusal } from '#testing/cluster/objects/refusal';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { DRIVEN, PATIENCE } from '#testing/patience';
import { ManualClock } from '../../clock/manual-clock.js';
import type { Log } from '../../telemetry/log.port.js';
import { HttpKubeClient } from '../client/http-kube-client.js';
import { fixedCredentials } from '../transport/credentials.js';
import { HttpTransport } from '../transport/http-transport.js';
import { ClusterCache } from './cluster-cache.js';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };
const AWAY = new Refusal(503, 'ServiceUnavailable', 'the API server is stopped');
const endings: (() => Promise<unknown>)[] = [];
let fleet: SimulatedFleet;

const cluster = () => fleet.cluster('harbour');
const put = (name: string, n: string, kind = CONFIG_MAP) =>
  cluster().apply({ ...kind, metadata: { name, namespace: 'default' }, ...contentOf(kind, n) });
const contentOf = (kind: typeof ROLE, n: string) => (kind === ROLE ? { rules: [{ verbs: [n] }] } : { data: { n } });
const drop = (name: string) => cluster().delete({ ...CONFIG_MAP, name, namespace: 'default' });
/** Writes that no watch reports. */
const noise = (count: number) => {
  for (let n = 0; n < count; n += 1) {
    cluster().apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'noise', namespace: 'default' },
      data: { n: btoa(`${n}`) },
    });
  }
};
/** Stops the API server, and starts it again after the work. */
function whileStopped(work: () => void): void {
  const start = cluster().failAll({}, AWAY);
  cluster().dropConnections();
  cluster().endWatches();
  work();
  start();
}

beforeEach(async () => {
  fleet = await startSimulatedFleet({ clusters: ['harbour'] });
  endings.push(() => fleet.stop());
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function watched(kinds = [CONFIG_MAP, ROLE]) {
  const headers = { authorization: `Bearer ${cluster().token}` };
  const credentials = fixedCredentials({ headers, tls: { rejectUnauthorized: false } });
  const transport = new HttpTransport({ server: new URL(cluster().url), credentials });
  const client = new HttpKubeClient({ cluster: 'harbour', transport, fieldManager: 'test' });
  const clock = new ManualClock();
  const said: string[] = [];
  const warn = (fields: object, message: string) => void said.push(`${message}: ${Object(fields).because ?? ''}`);
  const log = { debug: () => undefined, info: () => undefined, warn, error: warn } as Log;
  const cache = new ClusterCache({ client, clock, log, kinds });
  endings.push(
    () => client.close(),
    () => cache.stop(),
  );
  cache.start();
  await cache.whenSynced();
  await expect.poll(() => cluster().openWatches(), PATIENCE).toBe(kinds.length);
  const held = (kind = CONFIG_MAP) => shown(cache.list(kind, { namespace: 'default' }) ?? []);
  /** Moves time on until the cache answers, and has this. */
  const expectHeld = async (names: readonly string[], kind = CONFIG_MAP) => {
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return held(kind);
      }, DRIVEN)
      .toEqual(names);
  };
  return { cache, clock, held, expectHeld, said };
}

const shown = (objects: readonly KubernetesObject[]) =>
  objects
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
    .map((object) => `${object.metadata.name} ${n(object)}`);
const n = (object: object): string => Object(object).data?.n ?? Object(object).rules?.[0]?.verbs?.[0] ?? '';

describe('a cache whose API server was restored from a backup', () => {
  it.each([
    ['one write old', 1, 0],
    ['500 writes old', 500, 3],
    ['one write old, and passed since', 1, 40],
    ['500 writes old, and passed since', 500, 700],
  ])('has what is there after one that was %s', async (_how, before, after) => {
    put('stays', '1');
    put('goes', '1');
    const { expectHeld, held } = await watched();
    const copy = cluster().snapshot();
    put('phantom', '1');
    noise(before - 1);
    await expectHeld(['goes 1', 'phantom 1', 'stays 1']);

    whileStopped(() => {
      cluster().restoreSnapshot(copy);
      noise(after);
    });
    await expectHeld(['goes 1', 'stays 1']);
    put('stays', '2');
    drop('goes');
    await expectHeld(['stays 2']);
    expect(held(ROLE)).toEqual([]);
  });

  const before = ['kept 1', 'late 1', 'old 1'];
  const changed = ['kept 1', 'late 3', 'old 1'];
  const setLate = (value: string) => () => void put('late', value);
  const nothing = (): void => undefined;
  it.each([
    ['its version is lower', bookmarked, nothing, before, /its resourceVersion is \d+, and was/],
    ['an object is as it was', setLate('2'), () => noise(40), before, /has version \d+, and had/],
    [
      'an object changed another way',
      () => bookmarked(setLate('2')),
      () => writes(90, setLate('3')),
      changed,
      /has version \d+, and had/,
    ],
    ['a version has another content', setLate('2'), () => writes(40, setLate('3'), 0), changed, /other content/],
    ['a deleted object is back', () => drop('late'), () => noise(40), before, /deleted object is back/],
    [
      'an object changed that had not changed',
      bookmarked,
      () => writes(90, () => put('old', '2')),
      ['kept 1', 'late 1', 'old 2'],
      /old has version \d+, and had/,
    ],
    [
      'an object came that had not been there',
      bookmarked,
      () => writes(90, () => put('new', '1')),
      ['kept 1', 'late 1', 'new 1', 'old 1'],
      /of new was not there/,
    ],
  ] as const)('notices that %s', async (_what, old, then, names, because) => {
    for (const name of ['old', 'kept', 'late']) put(name, '1');
    put('quiet', '1', ROLE);
    const { expectHeld, said } = await watched();
    const copy = cluster().snapshot();
    old();
    await expectHeld(shown(cluster().list({ ...CONFIG_MAP, namespace: 'default' })));

    whileStopped(() => {
      cluster().restoreSnapshot(copy);
      then();
    });
    await expectHeld(names);
    await expectHeld(['quiet 1'], ROLE);
    expect(said.filter((line) => line.includes('went back'))).toEqual([expect.stringMatching(because)]);
    put('quiet', '2', ROLE);
    await expectHeld(['quiet 2'], ROLE);
  });

  it('keeps no write of its own that the server has lost, and waits for none', async () => {
    put('late', '1');
    const { cache, expectHeld } = await watched();
    const copy = cluster().snapshot();
    noise(500);
    const own = put('late', '2');
    cache.noteWritten({ ...own, ...CONFIG_MAP });
    expect(cache.get({ ...CONFIG_MAP, name: 'late', namespace: 'default' })?.found).toMatchObject({ data: { n: '2' } });

    whileStopped(() => cluster().restoreSnapshot(copy));
    await expectHeld(['late 1']);
    cache.noteWritten({ ...put('late', '3'), ...CONFIG_MAP });
    await expectHeld(['late 3']);
  });

  it('takes what came and went before its first list for no other history', async () => {
    put('late', '1');
    put('gone', '1');
    drop('gone');
    const { expectHeld, said } = await watched();
    whileStopped(() => undefined);
    await expectHeld(['late 1']);
    await expectHeld([], ROLE);
    put('late', '2');
    await expectHeld(['late 2']);
    expect(said.filter((line) => line.includes('went back'))).toEqual([]);
  });

  it('costs one small read where the connections were lost and nothing else', async () => {
    put('late', '1');
    const { expectHeld, said } = await watched();
    const from = cluster().requests.length;
    whileStopped(() => noise(50));
    await expectHeld(['late 1']);
    await expectHeld([], ROLE);
    put('late', '2');
    await expectHeld(['late 2']);
    const lists = cluster()
      .requests.slice(from)
      .filter(({ verb }) => verb === 'list');
    expect([lists.length, said.filter((line) => line.includes('went back'))]).toEqual([1, []]);
  });
});

/** Changes something, and brings the watches up to later writes that none of them reports. */
function bookmarked(change: () => void = () => undefined): void {
  change();
  noise(60);
  cluster().bookmarkWatches();
}

/** Makes a change among so many writes that no watch reports; by default in their middle. */
function writes(count: number, change: () => void, after = count / 2): void {
  noise(after);
  change();
  noise(count - after);
}
