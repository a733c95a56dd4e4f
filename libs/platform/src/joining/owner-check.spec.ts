import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OwnerStatus } from '#core/cluster/joining/cluster-owner';
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
function hub(id: string, { takes = true, older = [] as string[], instance = '' } = {}) {
  let awaited = 0;
  const [news, refusals] = [[] as OwnerStatus[], [] as (string | undefined)[]];
  const check = new OwnerCheck({
    client: direct.client,
    clock,
    hub: { id, older },
    instance: instance === '' ? undefined : async () => instance,
    onMarksAwaited: () => {
      awaited += 1;
    },
    mayTake: () => takes,
    onNews: (status) => void news.push(status),
    onRefused: (because) => void refusals.push(because),
  });
  return { check, news, refusals, awaited: () => awaited };
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

    mark('two');
    clock.set(-10 * 60_000);
    await expect(write(), 'the clock was set back').rejects.toBeInstanceOf(ClusterOfAnotherHub);
  });
});

describe('two hubs with one identity', () => {
  const annotations = () => direct.cluster.get(SYSTEM)?.metadata.annotations ?? {};
  const instance = () => annotations()['flotilla.dev/hub-instance'];
  const writes = () => direct.cluster.requests.writes().length;

  it('take no turns: the one that is at work answers, the other one stays away, and both name each other', async () => {
    const [first, second] = [hub('one', { instance: 'a' }), hub('one', { instance: 'b' })];
    expect((await first.check.ask()).acts).toBe(true);
    expect(await second.check.ask()).toMatchObject({ acts: false, because: expect.stringContaining('has asked it') });
    expect(await first.check.ask()).toMatchObject({ acts: true, twin: { instance: 'b' } });
    await clock.advance(second.check.againAfterMs);
    expect(await second.check.status()).toMatchObject({ acts: false, because: expect.stringContaining('its answer') });
    expect(instance()).toBe('a');
    expect(first.news).toEqual([expect.objectContaining({ acts: true, twin: expect.anything() })]);

    const before = writes();
    for (let minute = 0; minute < 60; minute++) {
      await clock.advance(60_000);
      const [one, other] = [await first.check.ask(), await second.check.status()];
      expect([one.acts, other.acts]).toEqual([true, false]);
    }
    expect(writes() - before, 'a question and an answer each five minutes').toBeLessThanOrEqual(24);
  });

  it('the second takes the place of one that is gone, and the first one leaves when it comes back', async () => {
    const [first, second] = [hub('one', { instance: 'a' }), hub('one', { instance: 'b' })];
    await first.check.ask();
    await second.check.ask();
    await clock.advance(19_999);
    expect((await second.check.ask()).acts).toBe(false);
    await clock.advance(1);
    expect((await second.check.ask()).acts).toBe(true);
    expect(annotations()).toEqual({ 'flotilla.dev/hub': 'one', 'flotilla.dev/hub-instance': 'b' });

    expect((await first.check.ask()).acts).toBe(false);
    expect(await second.check.ask()).toMatchObject({ acts: true, twin: { instance: 'a' } });
    await clock.advance(60_000);
    expect([(await first.check.ask()).acts, (await second.check.ask()).acts]).toEqual([false, true]);
  });

  it('one that has answered has ten minutes for a restart', async () => {
    const [first, second] = [hub('one', { instance: 'a' }), hub('one', { instance: 'b' })];
    for (const { check } of [first, second, first]) await check.ask();
    for (let minute = 0; minute < 14; minute++) {
      await clock.advance(60_000);
      expect((await second.check.ask()).acts, `after ${minute + 1} minutes`).toBe(false);
    }
    await clock.advance(60_000);
    expect((await second.check.ask()).acts).toBe(true);
  });

  it('of two that ask at the same moment one takes the place', async () => {
    await hub('one', { instance: 'gone' }).check.ask();
    const hubs = [hub('one', { instance: 'b' }), hub('one', { instance: 'c' })];
    for (let second = 0; second < 60; second++) {
      await Promise.all(hubs.map(({ check }) => check.ask()));
      await clock.advance(1_000);
    }
    const acts = hubs.map(({ check }) => check.latest?.acts);
    expect(acts.toSorted()).toEqual([false, true]);
    expect(instance()).toBe(acts[0] ? 'b' : 'c');
  });

  it('two that one answers do not ask in turns', async () => {
    const three = ['a', 'b', 'c'].map((instance) => hub('one', { instance }).check);
    const before = writes();
    for (let times = 0; times < 100; times++) {
      for (const check of three) await check.ask();
      await clock.advance(6_000);
    }
    expect(three.map(({ latest }) => latest?.acts)).toEqual([true, false, false]);
    expect(writes() - before, 'who manages it, and two questions').toBeLessThanOrEqual(5);
  });

  it('a process that may not write has another one of its hub do it', async () => {
    const applier = hub('one', { instance: 'a' });
    const poller = hub('one', { instance: 'a', takes: false });
    await applier.check.ask();
    await hub('one', { instance: 'b' }).check.ask();
    const before = writes();
    expect((await poller.check.ask()).acts).toBe(true);
    expect([poller.awaited(), writes()]).toEqual([1, before]);
    await applier.check.ask();
    await poller.check.ask();
    expect(poller.awaited(), 'it is answered').toBe(1);

    const otherPoller = hub('one', { instance: 'c', takes: false });
    await otherPoller.check.ask();
    expect(otherPoller.awaited(), 'the answer is one to it, too').toBe(0);
    await clock.advance(otherPoller.check.againAfterMs * 5);
    expect((await otherPoller.check.ask()).acts).toBe(false);
    expect(otherPoller.awaited()).toBe(1);
  });

  it('a process that may not write stays away until another one of its hub has taken the place', async () => {
    await hub('one', { instance: 'gone' }).check.ask();
    const applier = hub('one', { instance: 'b' });
    const poller = hub('one', { instance: 'b', takes: false });
    await applier.check.ask();
    await clock.advance(30_000);
    expect([(await poller.check.ask()).acts, poller.awaited()]).toEqual([false, 1]);
    expect((await applier.check.ask()).acts).toBe(true);
    expect((await poller.check.ask()).acts).toBe(true);
  });

  it('one that may not ask stays away, and says why', async () => {
    await hub('one', { instance: 'a' }).check.ask();
    direct.cluster.failAll(
      { verb: 'patch', resource: 'namespaces' },
      new Refusal(403, 'Forbidden', 'guarded namespace'),
    );
    expect(await hub('one', { instance: 'b' }).check.ask()).toMatchObject({
      acts: false,
      because: expect.stringMatching(/it could not be asked: .*guarded namespace/),
    });
  });
});
