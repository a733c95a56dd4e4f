import { describe, expect, it } from 'vitest';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { ReadBudget } from '../kube/limits/read-budget.js';
import { memberEntry, RegisteredCluster } from './registered-cluster.js';

const access = (token: string, more: Partial<ClusterAccess> = {}): ClusterAccess => ({
  context: 'east',
  file: 'config',
  cluster: { server: 'https://east.test' },
  user: { token },
  ...more,
});
const elsewhere = { cluster: { server: 'https://other.test' } };

/** What a server answers when it is asked for the UID of kube-system; an error is thrown. */
type Answers = Record<string, string | Error | (() => Promise<string | undefined>) | undefined>;

/** Cluster `east`; `open` counts clients by service and token, `asked` has the tokens that were used. */
function registered(first: ClusterAccess, answers: Answers = {}) {
  const open = new Map<string, number>();
  const asked: string[] = [];
  const count = (name: string, by: number) => open.set(name, (open.get(name) ?? 0) + by);
  const cluster = new RegisteredCluster({
    cluster: 'east',
    access: first,
    fieldManagers: ['poller', 'applier'],
    makeBudget: (name) => new ReadBudget(name),
    makeClient: ({ access: { user }, fieldManager, budget, cluster: name }) => {
      const token = user.token ?? '';
      count(`${fieldManager} ${token}`, 1);
      const client = {
        cluster: name,
        budget,
        get: async () => {
          asked.push(token);
          const answer = token in answers ? answers[token] : 'uid-east';
          if (answer instanceof Error) throw answer;
          const uid = typeof answer === 'function' ? await answer() : answer;
          return uid === undefined
            ? undefined
            : { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid } };
        },
        close: async () => void count(`${fieldManager} ${token}`, -1),
      };
      return client as unknown as KubeClient;
    },
  });
  const inUse = () => [...open].filter(([, clients]) => clients > 0).map(([name]) => name);
  return { cluster, asked, inUse };
}
const forbidden = () => new KubeApiError('east', 403, 'Forbidden', 'no');

describe('a cluster that has joined', () => {
  it('has a client for each service, and is not asked before it must be', () => {
    const { cluster, asked, inUse } = registered(access('one'));
    expect(inUse()).toEqual(['poller one', 'applier one']);
    expect([cluster.isVerified, cluster.isCurrent, cluster.identity, asked]).toEqual([false, false, undefined, []]);
  });

  it('is verified by the UID of namespace kube-system, with the clients that it has', async () => {
    const { cluster, asked, inUse } = registered(access('one'));
    expect(await cluster.verify()).toEqual({ accepted: true, renewed: false });
    expect([cluster.isVerified, cluster.isCurrent, cluster.identity]).toEqual([true, true, 'uid-east']);
    expect([asked, inUse()]).toEqual([['one'], ['poller one', 'applier one']]);
  });

  it.each([
    { because: 'may not be read', answer: forbidden() },
    { because: 'is not there', answer: undefined },
  ])('takes part where its identity $because and none is expected', async ({ answer }) => {
    const { cluster } = registered(access('one'), { one: answer });
    expect(await cluster.verify()).toEqual({ accepted: true, renewed: false });
    expect(cluster.identity).toBeUndefined();
  });

  it('does not take part where the kubeconfig expects another identity', async () => {
    const { cluster } = registered(access('one', { identity: 'uid-other' }));
    expect(await cluster.verify()).toMatchObject({
      accepted: false,
      refusal: expect.stringContaining('another cluster'),
    });
    expect([cluster.isVerified, cluster.identity]).toEqual([false, undefined]);
  });

  it('is not verified where it does not answer', async () => {
    const { cluster, inUse } = registered(access('one'), { one: new Error('no route') });
    await expect(cluster.verify()).rejects.toThrow('no route');
    expect([cluster.isVerified, inUse()]).toEqual([false, ['poller one', 'applier one']]);
  });
});

describe('a new login', () => {
  it('is taken up once it leads to the same cluster, and the old clients end', async () => {
    const { cluster, inUse } = registered(access('one'));
    await cluster.verify();
    cluster.want(access('two'));
    expect(cluster.isCurrent).toBe(false);
    expect(await cluster.verify()).toEqual({ accepted: true, renewed: true });
    expect(cluster.isCurrent).toBe(true);
    await expect.poll(inUse).toEqual(['poller two', 'applier two']);
  });

  it.each([
    { because: 'leads to another cluster', two: access('two'), answer: 'uid-other', says: 'leads to another cluster' },
    {
      because: 'may not say which cluster it leads to, at another address',
      two: access('two', elsewhere),
      answer: forbidden(),
      says: 'leads to another address',
    },
  ])('is refused where it $because, and its clients end', async ({ two, answer, says }) => {
    const { cluster, inUse } = registered(access('one'), { two: answer });
    await cluster.verify();
    cluster.want(two);
    expect(await cluster.verify()).toMatchObject({ accepted: false, refusal: expect.stringContaining(says) });
    expect([cluster.isCurrent, cluster.identity, inUse()]).toEqual([false, 'uid-east', ['poller one', 'applier one']]);
  });

  it('is taken up at the same address where the identity may not be read', async () => {
    const { cluster } = registered(access('one'), { two: forbidden() });
    await cluster.verify();
    cluster.want(access('two'));
    expect(await cluster.verify()).toEqual({ accepted: true, renewed: true });
    expect(cluster.identity).toBe('uid-east');
  });

  it('that does not answer leaves the old one in use', async () => {
    const { cluster, inUse } = registered(access('one'), { two: new Error('refused') });
    await cluster.verify();
    cluster.want(access('two'));
    await expect(cluster.verify()).rejects.toThrow('refused');
    expect(inUse()).toEqual(['poller one', 'applier one']);
  });

  it('says nothing where the kubeconfig has changed meanwhile, or the cluster has left', async () => {
    for (const change of [
      (cluster: RegisteredCluster) => cluster.want(access('three')),
      (cluster: RegisteredCluster) => cluster.close(),
    ]) {
      const slow = Promise.withResolvers<string>();
      const { cluster, inUse } = registered(access('one'), { two: () => slow.promise });
      await cluster.verify();
      cluster.want(access('two'));
      const verified = cluster.verify();
      await change(cluster);
      slow.resolve('uid-east');
      expect(await verified).toBeUndefined();
      expect(inUse().filter((name) => name.endsWith('two'))).toEqual([]);
    }
  });

  it('clears what was wrong with the one before', () => {
    const { cluster } = registered(access('one'));
    cluster.refusal = 'leads elsewhere';
    cluster.unreached = 'no route';
    cluster.want(access('two', { file: 'other' }));
    expect([cluster.refusal, cluster.unreached, cluster.file]).toEqual([undefined, undefined, 'other']);
  });
});

describe('isExpected', () => {
  it.each([
    { expected: undefined, found: 'a', fits: true },
    { expected: 'a', found: 'a', fits: true },
    { expected: 'a', found: undefined, fits: true },
    { expected: 'a', found: 'b', fits: false },
  ])('$expected, found $found: $fits', ({ expected, found, fits }) => {
    const { cluster } = registered(access('one', expected === undefined ? {} : { identity: expected }));
    expect(cluster.isExpected(found)).toBe(fits);
  });
});

describe('memberEntry', () => {
  const entry = (more: Partial<ClusterAccess> = {}, token = 'one') => memberEntry('east', access(token, more));
  it.each([
    { because: 'nothing', other: entry(), differs: [] },
    { because: 'the file alone', other: entry({ file: 'other', context: 'x' }), differs: [] },
    { because: 'the login', other: entry({}, 'two'), differs: ['access'] },
    { because: 'the address', other: entry(elsewhere), differs: ['access'] },
    { because: 'the global catalog namespace', other: entry({ globalCatalogNamespace: 'market' }), differs: ['terms'] },
    { because: 'whether it is paused', other: entry({ paused: true }), differs: ['paused'] },
  ])('of an access of which $because has changed', ({ other, differs }) => {
    const first = entry();
    const keys = ['cluster', 'access', 'terms', 'paused'] as const;
    expect(keys.filter((key) => first[key] !== other[key])).toEqual(differs);
  });

  it('does not hold the login', () => {
    expect(JSON.stringify(entry({}, 'hush-token'))).not.toContain('hush');
  });
});

it('is at another address behind another tunnel, whatever the login for the tunnel', () => {
  const behind = (proxy: string) => {
    const cluster = { server: 'https://kubernetes.default.svc', 'proxy-url': proxy };
    return registered(access('one', { cluster })).cluster.member().server;
  };
  const east = behind('https://tunnel-east:8131');
  expect(east).toBe('https://kubernetes.default.svc through tunnel-east:8131');
  expect(behind('https://hub:hidden@tunnel-east:8131')).toBe(east);
  expect(behind('https://tunnel-west:8131')).not.toBe(east);
});
