import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OwnerStatus } from '#core/fleet/joining/cluster-owner';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ManualClock } from '../clock/manual-clock.js';
import { ClusterOfAnotherHub, ClusterWrites } from './cluster-writes.js';
import { OWNER_CONFIRMED_MS, OwnerCheck } from './owner-check.js';

const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
const ROLE = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note', namespace: 'default' } };

let direct: DirectCluster;
let clock: ManualClock;
beforeEach(() => {
  direct = directCluster('east');
  clock = new ManualClock(new Date());
});
afterEach(() => direct.stop());

const holder = () => direct.cluster.get(SYSTEM)?.metadata.annotations?.['flotilla.dev/hub'];
const mark = (id: string) =>
  direct.cluster.edit(SYSTEM, ({ metadata }) => {
    metadata.annotations = { 'flotilla.dev/hub': id };
  });
function hub(id: string, { takes = true, older = [] as string[] } = {}) {
  const [news, refusals] = [[] as OwnerStatus[], [] as (string | undefined)[]];
  const check = new OwnerCheck({
    client: direct.client,
    clock,
    hub: { id, older },
    mayTake: () => takes,
    onNews: (status) => void news.push(status),
    onRefused: (because) => void refusals.push(because),
  });
  return { check, news, refusals };
}

describe('which hub manages a cluster', () => {
  it('is written once by the first that asks; the second does nothing', async () => {
    const [first, second] = [hub('one'), hub('two')];
    expect((await first.check.status()).acts).toBe(true);
    expect(await second.check.status()).toMatchObject({ acts: false, holder: 'one' });
    expect(holder()).toBe('one');
    expect(second.news).toHaveLength(1);

    direct.cluster.requests.clear();
    for (const _ of [1, 2, 3]) await clock.advance(60 * 60_000).then(() => first.check.status());
    expect(
      direct.cluster.requests.filter(() => true),
      'at rest nothing is asked or written',
    ).toEqual([]);
  });

  it('of two that write at the same moment one does', async () => {
    const hubs = [hub('one'), hub('two')];
    const acts = await Promise.all(hubs.map(async ({ check }) => (await check.status()).acts));
    expect(acts.toSorted()).toEqual([false, true]);
    expect(holder()).toBe(acts[0] ? 'one' : 'two');
  });

  it('is not written by a process that may not, and not in place of another one', async () => {
    expect((await hub('one', { takes: false }).check.status()).acts).toBe(true);
    expect(holder()).toBeUndefined();
    mark('other');
    await hub('one').check.status();
    expect(holder()).toBe('other');
  });

  it('is written anew where the hub has another key by now', async () => {
    mark('old-key');
    expect((await hub('one', { older: ['old-key'] }).check.status()).acts).toBe(true);
    expect(holder()).toBe('one');
  });

  it('is not known where the namespace may not be read: the hub acts', async () => {
    direct.cluster.failAll({ resource: 'namespaces' }, new Refusal(403, 'Forbidden', 'not yours'));
    expect((await hub('one').check.status()).acts).toBe(true);
  });

  it('cannot be said where the API server refuses: the hub acts, and it is reported until it can', async () => {
    const allow = direct.cluster.failAll(
      { verb: 'patch', resource: 'namespaces' },
      new Refusal(403, 'Forbidden', 'guarded namespace'),
    );
    const one = hub('one');
    expect((await one.check.status()).acts).toBe(true);
    expect(one.refusals).toEqual([expect.stringContaining('guarded namespace')]);
    allow();
    await one.check.ask();
    expect(one.refusals.at(-1)).toBeUndefined();
    expect(holder()).toBe('one');
  });

  it('is asked for again before a write: after a take-over the first hub stops', async () => {
    const { check } = hub('one');
    const writes = new ClusterWrites(
      'east',
      () => (check.latest?.acts === false ? 'of another hub' : undefined),
      () => check.confirm(),
    );
    const write = () => writes.run(() => direct.client.apply(ROLE));
    await write();
    const asked = () => direct.cluster.requests.filter(({ verb, name }) => verb === 'get' && name === 'kube-system');
    const before = asked().length;
    await clock.advance(OWNER_CONFIRMED_MS - 1);
    await write();
    expect(asked(), 'the last answer is recent').toHaveLength(before);

    mark('two');
    await clock.advance(1);
    await expect(write()).rejects.toBeInstanceOf(ClusterOfAnotherHub);
    const sent = direct.cluster.requests.writes().length;
    await clock.advance(60 * 60_000);
    await expect(write()).rejects.toBeInstanceOf(ClusterOfAnotherHub);
    expect(direct.cluster.requests.writes()).toHaveLength(sent);

    mark('one');
    expect((await check.status()).acts, 'it is asked again after a minute').toBe(true);
    await write();
  });
});
