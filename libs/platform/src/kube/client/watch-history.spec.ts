import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '../../clock/manual-clock.js';
import type { KindRef, KubeClient, ListOptions } from './kube-client.port.js';
import { type HistoryFollower, type SeenChange, ServerHistory } from './watch-history.js';

const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };

/** A server with these versions of its own and of its objects, by kind and name. */
function serverWith(shown: () => Readonly<Record<string, Readonly<{ version: string; names?: object }>>>) {
  const asked: string[] = [];
  const list = async ({ kind }: KindRef, { fieldSelector = '' }: ListOptions) => {
    const name = fieldSelector.replace('metadata.name=', '');
    asked.push(`${kind} ${name}`);
    const { version = '', names = {} } = shown()[kind] ?? {};
    const resourceVersion = new Map(Object.entries(names)).get(name);
    const items = resourceVersion === undefined ? [] : [{ ...CSV, kind, metadata: { name, resourceVersion } }];
    return { items: items as KubernetesObject[], resourceVersion: version };
  };
  return { asked, client: { cluster: 'east', list } as unknown as KubeClient };
}

function followerOf(kind: KindRef, reached: string, change?: Readonly<{ name: string; resourceVersion: string }>) {
  const follower: HistoryFollower & { backs: number } = {
    kind,
    backs: 0,
    version: () => reached,
    lastChange: (): SeenChange | undefined =>
      change && { ...change, reached, isDeleted: false, hasContentOf: () => true },
    onOtherHistory: () => {
      follower.backs += 1;
    },
  };
  return follower;
}

function asking(client: KubeClient) {
  const clock = new ManualClock();
  const history = new ServerHistory();
  const confirm = async (lostAtMs = clock.now().getTime()) => {
    const confirmed = history.confirm(lostAtMs, { client, clock, random: () => 0 });
    await clock.advance(120_000);
    return confirmed;
  };
  return { history, confirm, clock };
}

const csv = followerOf(CSV, '830', { name: 'bolt', resourceVersion: '800' });
const role = followerOf(ROLE, '829', { name: 'bolt', resourceVersion: '700' });

describe('what is asked of an API server after a lost connection', () => {
  it('is one read for all watches of the cluster', async () => {
    const { client, asked } = serverWith(() => ({ [CSV.kind]: { version: '900', names: { bolt: '800' } } }));
    const { history, confirm } = asking(client);
    for (const follower of [role, csv]) history.join(follower);
    const lostAt = new Date('2026-01-01T00:00:00Z').getTime();
    const all = await Promise.all([confirm(lostAt), confirm(lostAt), confirm(lostAt)]);
    expect(all).toEqual(all.map(() => ({ since: '800', except: new Set() })));
    expect(asked).toEqual(['ClusterServiceVersion bolt']);
    expect(history.epoch).toBe(0);
  });

  it('is asked again after the next lost connection', async () => {
    const { client, asked } = serverWith(() => ({ [CSV.kind]: { version: '900', names: { bolt: '800' } } }));
    const { history, confirm } = asking(client);
    history.join(csv);
    await confirm();
    await confirm();
    expect(asked).toHaveLength(2);
  });

  it('goes on to older changes where the newest was overtaken, whose kind is listed again', async () => {
    const { client, asked } = serverWith(() => ({
      [CSV.kind]: { version: '900', names: { bolt: '850' } },
      [ROLE.kind]: { version: '900', names: { bolt: '700' } },
    }));
    const { history, confirm } = asking(client);
    for (const follower of [role, csv]) history.join(follower);
    expect(await confirm()).toEqual({ since: '700', except: new Set([csv]) });
    expect(asked).toEqual(['ClusterServiceVersion bolt', 'Role bolt']);
  });

  it('confirms nothing where every change was overtaken, or there is none', async () => {
    const { client } = serverWith(() => ({ [CSV.kind]: { version: '900', names: { bolt: '850' } } }));
    const { history, confirm } = asking(client);
    expect(await confirm()).toBeUndefined();
    history.join(csv);
    expect(await confirm()).toBeUndefined();
    expect(history.epoch).toBe(0);
  });

  it('drops everything once another history was seen twice', async () => {
    const { client, asked } = serverWith(() => ({ [CSV.kind]: { version: '439', names: { bolt: '426' } } }));
    const { history, confirm } = asking(client);
    const follower = followerOf(CSV, '830', { name: 'bolt', resourceVersion: '800' });
    let told = 0;
    history.join(follower);
    history.onOther(() => {
      told += 1;
    });
    expect(await confirm()).toBeUndefined();
    expect([history.epoch, follower.backs, told]).toEqual([1, 1, 1]);
    expect(asked).toHaveLength(2);
  });

  it('takes a stale answer for what it is', async () => {
    let answers = 0;
    const { client } = serverWith(() => {
      answers += 1;
      const isStale = answers === 1;
      return { [CSV.kind]: { version: isStale ? '790' : '900', names: { bolt: isStale ? '600' : '800' } } };
    });
    const { history, confirm } = asking(client);
    history.join(csv);
    expect(await confirm()).toEqual({ since: '800', except: new Set() });
    expect(history.epoch).toBe(0);
  });

  it('believes a server less and less often that shows one history and then the other', async () => {
    const { client } = serverWith(() => ({ [CSV.kind]: { version: '439', names: { bolt: '426' } } }));
    const { history, clock } = asking(client);
    history.join(followerOf(CSV, '830', { name: 'bolt', resourceVersion: '800' }));
    const took: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const from = clock.now().getTime();
      void history.confirm(from, { client, clock, random: () => 0 });
      while (history.epoch === turn) await clock.advance(500);
      took.push(clock.now().getTime() - from);
      await clock.advance(10_000);
    }
    expect(took).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('notices a watch that is ahead of the server in a kind that has no objects', async () => {
    const { client } = serverWith(() => ({
      [CSV.kind]: { version: '825', names: { bolt: '800' } },
      [ROLE.kind]: { version: '825' },
    }));
    const { history, confirm } = asking(client);
    history.join(followerOf(CSV, '820', { name: 'bolt', resourceVersion: '800' }));
    history.join(followerOf(ROLE, '830'));
    expect(await confirm()).toBeUndefined();
    expect(history.epoch).toBe(1);
  });

  it('knows kinds that are stored apart, with versions of their own', async () => {
    const { client } = serverWith(() => ({
      [CSV.kind]: { version: '900', names: { bolt: '800' } },
      [ROLE.kind]: { version: '70000' },
    }));
    const { history, confirm } = asking(client);
    history.join(csv);
    history.join(followerOf(ROLE, '69000'));
    expect(await confirm()).toEqual({ since: '800', except: new Set() });
    expect(history.epoch).toBe(0);
  });

  it('is asked again where the server did not answer', async () => {
    let away = true;
    const { client, asked } = serverWith(() => {
      if (away) throw new Error('the server is away');
      return { [CSV.kind]: { version: '900', names: { bolt: '800' } } };
    });
    const { history, confirm, clock } = asking(client);
    history.join(csv);
    const lostAt = clock.now().getTime();
    await expect(confirm(lostAt)).rejects.toThrow('away');
    away = false;
    expect(await confirm(lostAt)).toMatchObject({ since: '800' });
    expect(asked).toHaveLength(2);
  });
});
