import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ManagementStatus } from '#core/cluster/joining/management-status';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ManualClock } from '../clock/manual-clock.js';
import { OlmDetector } from './olm-detector.js';

const EVERY_MS = 300_000;
const WAITING_MS = 60_000;

let direct: DirectCluster;
let clock: ManualClock;
let news: ManagementStatus[];
beforeEach(() => {
  direct = directCluster('east');
  [clock, news] = [new ManualClock(new Date()), []];
  direct.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
});
afterEach(() => direct.stop());

const detector = (consentedClusters: readonly string[] = [], fullEveryMs?: number) =>
  new OlmDetector({
    client: direct.client,
    clock,
    consentedClusters,
    globalCatalogNamespace: async () => 'olm',
    everyMs: EVERY_MS,
    ...(fullEveryMs === undefined ? {} : { fullEveryMs }),
    onNews: (status) => void news.push(status),
  });
const OPERATOR = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'olm-operator', namespace: 'olm' };
const runOlm = (replicas = 1, name = 'olm-operator') =>
  direct.cluster.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'olm' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'olm:1' }] } },
    },
  });
const scale = (replicas: number) =>
  direct.cluster.edit(OPERATOR, (object) => Object.assign(Object(object).spec, { replicas }));
const lists = () => direct.cluster.requests.filter(({ verb }) => verb === 'list').length;

describe('whether OLM is at work in a cluster', () => {
  it.each<[acts: boolean, because: string, prepare: () => unknown, consented: readonly string[]]>([
    [true, 'there is nothing of it', () => undefined, []],
    [true, 'it is scaled to nothing', () => runOlm(0), []],
    [true, 'a Deployment has another name', () => runOlm(1, 'other'), []],
    [false, 'its operator runs', () => runOlm(), []],
    [true, 'the hub may act beside it there', () => runOlm(), ['west', 'east']],
    [true, 'the hub may act beside it everywhere', () => runOlm(), ['*']],
    [false, 'the hub may act beside it elsewhere', () => runOlm(), ['west']],
    [true, 'the owner of the cluster allows it', () => [runOlm(), annotate('act')], []],
    [false, 'the owner of the cluster says something else', () => [runOlm(), annotate('yes')], []],
  ])('Flotilla acts: %s, where %s', async (acts, _, prepare, consented) => {
    prepare();
    expect((await detector(consented).status()).acts).toBe(acts);
  });

  const annotate = (text: string) =>
    direct.cluster.edit({ apiVersion: 'v1', kind: 'Namespace', name: 'olm' }, ({ metadata }) => {
      metadata.annotations = { 'flotilla.dev/beside-olm': text };
    });

  it('is reported with what was found and how to go on', async () => {
    runOlm();
    const status = await detector().status();
    expect(status).toMatchObject({
      acts: false,
      because:
        'OLM itself runs there (deployment olm/olm-operator). Nothing is written. Scale OLM to zero to hand the cluster over, or allow both: FLOTILLA_CLUSTERS_BESIDE_OLM=east, or annotation flotilla.dev/beside-olm=act on namespace olm',
    });
  });

  it('counts as yes where it may not be seen', async () => {
    direct.cluster.failAll({ resource: 'deployments' }, new Refusal(403, 'Forbidden', 'not yours'));
    expect(await detector().status()).toMatchObject({ acts: false, because: expect.stringContaining('not yours') });
    expect((await detector(['east']).status()).acts).toBe(true);
  });

  it('counts as yes once it may not be seen any more, and says which right is gone', async () => {
    const found = detector([], 100 * EVERY_MS);
    expect((await found.status()).acts).toBe(true);
    direct.cluster.failAll({ resource: 'deployments' }, new Refusal(403, 'Forbidden', 'not yours'));
    await clock.advance(EVERY_MS);
    expect(await found.status()).toMatchObject({ acts: false, because: expect.stringContaining('not yours') });
  });

  it('is decided without the annotation where the namespace may not be read', async () => {
    runOlm();
    direct.cluster.failAll({ resource: 'namespaces' }, new Refusal(403, 'Forbidden', 'not yours'));
    expect((await detector().status()).acts).toBe(false);
  });

  it('is not known while the cluster does not answer; the next one who asks has it checked', async () => {
    const found = detector();
    direct.cluster.lossOf = () => 'request';
    await expect(found.status()).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(found.latest).toBeUndefined();
    direct.cluster.lossOf = () => undefined;
    expect((await found.status()).acts).toBe(true);
  });
});

describe('a check', () => {
  it('is shared by those who ask at the same time, and stands for its time', async () => {
    const found = detector();
    await Promise.all([found.status(), found.status()]);
    const once = lists();
    await clock.advance(EVERY_MS - 1);
    await found.status();
    expect(lists()).toBe(once);
    await clock.advance(1);
    await found.status();
    expect(lists()).toBe(2 * once);
  });

  it('asks for two Deployments where there was nothing of OLM, and for everything after the longer time', async () => {
    const found = detector([], 3 * EVERY_MS);
    const asked: number[] = [];
    for (const _ of [1, 2, 3, 4, 5]) {
      const before = lists();
      await found.status();
      asked.push(lists() - before);
      await clock.advance(EVERY_MS);
    }
    expect(asked, 'OLM’s kinds are not served here').toEqual([4, 2, 2, 4, 2]);
  });

  it.each(['olm-operator', 'operator-controller-controller-manager'])(
    'that asks for little finds OLM, too: %s',
    async (name) => {
      const found = detector([], 100 * EVERY_MS);
      await found.status();
      await clock.advance(EVERY_MS);
      expect((await found.status()).acts).toBe(true);
      runOlm(1, name);
      await clock.advance(EVERY_MS);
      expect((await found.status()).acts).toBe(false);
    },
  );

  it('is made every minute while Flotilla waits for OLM to go', async () => {
    runOlm();
    const found = detector();
    await found.status();
    expect(found.againAfterMs).toBe(WAITING_MS);
    scale(0);
    await clock.advance(WAITING_MS - 1);
    expect((await found.status()).acts).toBe(false);
    await clock.advance(1);
    expect((await found.status()).acts).toBe(true);
    expect(found.againAfterMs).toBe(EVERY_MS);
  });

  it('is news where its result differs from the last one', async () => {
    const found = detector();
    const check = async () => {
      await clock.advance(EVERY_MS);
      await found.status();
    };
    await check();
    await check();
    runOlm();
    await check();
    await check();
    scale(0);
    await check();
    expect(news.map(({ acts }) => acts)).toEqual([true, false, true]);
  });
});
