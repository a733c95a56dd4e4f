import { describe, expect, it } from 'vitest';
import type { HeldReading } from '#core/cluster/membership/kubeconfig-readings';
import { ManualClock } from '../clock/manual-clock.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { ReadBudget } from '../kube/limits/read-budget.js';
import { silentLog } from '../telemetry/log.port.js';
import { ClusterRegistry } from './cluster-registry.js';
import { type IdentityClaims, memoryClaims } from './identity-claims.port.js';

type Reading = HeldReading<ClusterAccess>;

/** A context; its server says which cluster it leads to. */
const context = (name: string, more: Partial<ClusterAccess> & { at?: string; token?: string } = {}) => {
  const { at = name, token = 'first', ...rest } = more;
  const access: ClusterAccess = {
    context: name,
    file: 'config',
    cluster: { server: `https://${at}` },
    user: { token },
    ...rest,
  };
  return { cluster: name, file: 'config', context: name, access };
};
const reading = (...members: Reading['members']): Reading => ({ members, problems: [] });

/** Clusters whose identity is the name of their server, and a kubeconfig that the test changes. */
async function registryOf(
  first: Reading,
  { claims, lies = {} }: Readonly<{ claims?: IdentityClaims; lies?: Readonly<Record<string, string>> }> = {},
) {
  const clock = new ManualClock();
  let now = first;
  const away = new Map<string, Error>();
  const open = new Map<string, number>();
  const asked: string[] = [];
  const registry = await ClusterRegistry.open({
    source: { read: async () => now },
    fieldManagers: ['poller', 'applier'],
    clock,
    log: silentLog,
    random: () => 0.5,
    claims,
    makeBudget: (cluster) => new ReadBudget(cluster),
    makeClient: ({ access, cluster, budget }) => {
      const server = new URL(access.cluster.server).host;
      open.set(server, (open.get(server) ?? 0) + 1);
      return {
        cluster,
        budget,
        globalCatalogNamespace: access.globalCatalogNamespace,
        login: { file: access.file, context: access.context },
        get: async () => {
          asked.push(`${server} as ${access.user.token}`);
          const error = away.get(server);
          if (error !== undefined) throw error;
          return { metadata: { uid: lies[server] ?? server } };
        },
        serverVersion: async () => `${server} as ${access.user.token}`,
        close: async () => void open.set(server, (open.get(server) ?? 0) - 1),
      } as unknown as KubeClient;
    },
  });
  const events: string[] = [];
  const clusters = registry.of('applier');
  const watch = (onLeft: Promise<void> = Promise.resolve()) =>
    clusters.subscribe((changes) => {
      for (const change of changes) {
        events.push([change.kind, change.cluster, ...('what' in change ? [change.what] : [])].join(' '));
      }
      return changes.some(({ kind }) => kind === 'left') ? onLeft : undefined;
    });
  const change = async (next: Reading) => {
    now = next;
    await clock.advance(1_000);
  };
  const taken = () => events.splice(0);
  const detail = async () => (await registry.check.check()).detail;
  return { registry, clusters, clock, away, open, asked, watch, change, taken, detail };
}

const forbidden = (cluster: string) => new KubeApiError(cluster, 403, 'Forbidden', 'not yours');
const unreachable = (cluster: string) => new KubeApiError(cluster, 0, 'Unreachable', 'connect ECONNREFUSED');

describe('the clusters of the kubeconfigs', () => {
  it('take part once each has said which one it is', async () => {
    const { registry, clusters, clock, taken, watch, detail } = await registryOf(
      reading(context('east'), context('west')),
    );
    watch();
    expect([clusters.known(), clusters.clients()]).toEqual([['east', 'west'], []]);
    // Its files are in a Pod: people do not have their contexts.
    expect(['east', 'gone'].map((one) => clusters.knownLogin(one)?.context)).toEqual([undefined, undefined]);
    registry.start();
    await clock.advance(100);
    expect(taken()).toEqual(['joined east', 'joined west']);
    expect(clusters.clients().map(({ cluster }) => cluster)).toEqual(['east', 'west']);
    expect(await detail()).toBe('2 of 2 clusters take part');
  });

  it('are given to a listener that comes later', async () => {
    const { registry, clock, taken, watch } = await registryOf(reading(context('east')));
    registry.start();
    await clock.advance(100);
    const end = watch();
    expect(taken()).toEqual(['joined east']);
    end();
    await registry.close();
    expect(taken()).toEqual([]);
  });

  it('join and leave with the kubeconfig, and their connections end after the services have left', async () => {
    const { registry, clusters, clock, change, taken, watch, open } = await registryOf(reading(context('east')));
    registry.start();
    await clock.advance(100);
    const left = Promise.withResolvers<void>();
    watch(left.promise);
    await change(reading(context('west')));
    expect(taken()).toEqual(['joined east', 'left east', 'joined west']);
    expect([clusters.client('east'), clusters.hasLeft('east'), clusters.known()]).toEqual([
      undefined,
      true,
      ['west', 'east'],
    ]);
    expect(open.get('east')).toBe(2);
    left.resolve();
    await clock.advance(0);
    expect([open.get('east'), clusters.known()]).toEqual([0, ['west']]);
  });

  it('that come again wait until they have been left', async () => {
    const { registry, clock, change, taken, watch } = await registryOf(reading(context('east')));
    registry.start();
    await clock.advance(100);
    const left = Promise.withResolvers<void>();
    watch(left.promise);
    await change(reading(context('east', { globalCatalogNamespace: 'market' })));
    expect(taken()).toEqual(['joined east', 'left east']);
    left.resolve();
    await clock.advance(0);
    expect(taken()).toEqual(['joined east']);
  });

  it('that do not answer are asked again, and hold up no other', async () => {
    const { registry, clusters, clock, away, taken, watch } = await registryOf(
      reading(context('east'), context('west')),
    );
    away.set('east', unreachable('east'));
    watch();
    registry.start();
    await clock.advance(100);
    expect([taken(), clusters.problemOf('east')]).toEqual([['joined west'], 'connect ECONNREFUSED']);
    away.clear();
    await clock.advance(5_000);
    expect([taken(), clusters.problemOf('east')]).toEqual([['joined east'], undefined]);
  });

  it('of which the identity may not be read take part all the same', async () => {
    const { registry, clock, away, taken, watch } = await registryOf(reading(context('east')));
    away.set('east', forbidden('east'));
    watch();
    registry.start();
    await clock.advance(100);
    expect(taken()).toEqual(['joined east']);
  });

  it('use a new login from now on, with the same client', async () => {
    const { registry, clusters, clock, change, taken, watch, open } = await registryOf(reading(context('east')));
    watch();
    registry.start();
    await clock.advance(100);
    const client = clusters.client('east');
    expect(await client?.serverVersion()).toBe('east as first');
    await change(reading(context('east', { token: 'second' })));
    expect(taken()).toEqual(['joined east', 'changed east access']);
    expect(clusters.client('east')).toBe(client);
    expect(await client?.serverVersion()).toBe('east as second');
    expect(open.get('east'), 'one for each service').toBe(2);
  });

  it('keep the login that works while the new one does not, which the health says', async () => {
    const { registry, clusters, clock, change, away, detail } = await registryOf(reading(context('east')));
    registry.start();
    await clock.advance(100);
    away.set('east', new KubeApiError('east', 401, 'Unauthorized', 'Unauthorized'));
    await change(reading(context('east', { token: 'second' })));
    expect(await clusters.client('east')?.serverVersion()).toBe('east as first');
    const advice = 'its login in the kubeconfig is not accepted or has expired: renew it';
    expect(await detail()).toBe(
      `1 of 1 clusters take part; Unauthorized; ${advice}; the earlier access to east stays in use`,
    );
    away.clear();
    await clock.advance(5_000);
    expect(await clusters.client('east')?.serverVersion()).toBe('east as second');
    expect(await detail()).toBe('1 of 1 clusters take part');
  });

  it('are refused where their context leads to another cluster now', async () => {
    const { registry, clusters, clock, change, taken, watch, detail } = await registryOf(reading(context('east')));
    watch();
    registry.start();
    await clock.advance(100);
    await change(reading(context('east', { at: 'elsewhere' })));
    expect(taken()).toEqual(['joined east']);
    expect(await clusters.client('east')?.serverVersion()).toBe('east as first');
    expect(await detail()).toMatch(
      /now leads to another cluster: the UID of its namespace kube-system is elsewhere; the UID of "\S+" was east/,
    );
    await change(reading(context('east')));
    expect(await detail()).toBe('1 of 1 clusters take part');
  });

  it('are refused from the start where another identity is written in the kubeconfig', async () => {
    const { registry, clusters, clock, taken, watch, detail } = await registryOf(
      reading(context('east', { identity: 'the one before' })),
    );
    watch();
    registry.start();
    await clock.advance(100);
    expect([taken(), clusters.known()]).toEqual([[], []]);
    expect(await detail()).toMatch(/^0 of 1 clusters take part; context "east" of config now leads to another cluster/);
  });

  it('take part once, under the name that was first', async () => {
    const both = reading(context('east', { at: 'harbour' }), context('quay', { at: 'harbour' }));
    const { registry, clusters, clock, change, taken, watch, detail } = await registryOf(both);
    watch();
    registry.start();
    await clock.advance(100);
    expect([taken(), clusters.known(), clusters.hasLeft('quay')]).toEqual([['joined east'], ['east'], true]);
    expect([clusters.knows('east'), clusters.knows('quay')]).toEqual([true, false]);
    expect(await detail()).toMatch(/context "quay" of config leads to the same cluster as "east"/);
    await change(reading(context('quay', { at: 'harbour' })));
    expect(taken()).toEqual(['left east', 'joined quay']);
    await change(both);
    await clock.advance(100);
    expect([taken(), clusters.known()], 'its name is kept').toEqual([[], ['quay']]);
    await change(reading(context('east', { at: 'harbour' })));
    expect(taken()).toEqual(['left quay', 'joined east']);
  });

  describe('if another cluster gives the identity of one', () => {
    const liar = context('aaa-hostile');
    const lies = { 'aaa-hostile': 'east' };

    /** The hub knew east before; then it starts with the liar first in its kubeconfig. */
    async function restarted(claims: IdentityClaims, ...more: Reading['members']) {
      const before = await registryOf(reading(context('east')), { claims });
      before.registry.start();
      await before.clock.advance(100);
      await before.registry.close();
      const hub = await registryOf(reading(liar, ...more), { claims, lies });
      hub.watch();
      hub.registry.start();
      await hub.clock.advance(100);
      return hub;
    }

    it('keep the cluster that was known, across restarts, and name both', async () => {
      const { taken, clusters, detail, registry } = await restarted(memoryClaims(), context('east'));
      expect([taken(), clusters.known()]).toEqual([['joined east'], ['east']]);
      expect(await detail()).toContain('"aaa-hostile" of config leads to the same cluster as "east"');
      expect((await detail()).match(/aaa-hostile/g), 'one line for the pair').toHaveLength(1);
      expect(await detail()).toMatch(/"flotilla clusters accept" \(other kubeconfigs: accepted\)/);
      expect((await registry.check.check()).troubles).toEqual({
        'aaa-hostile': expect.stringMatching(/remove one of the two, or choose one with /),
        east: expect.stringMatching(/^context "aaa-hostile" of config claims to be cluster "east"/),
      });
      expect(['east', 'aaa-hostile'].map((one) => clusters.disputeOf?.(one)?.isRefused)).toEqual([false, true]);
    });

    it('take the other one only after the first has been missing for ten minutes', async () => {
      const { taken, clock, change } = await restarted(memoryClaims());
      await clock.advance(9 * 60_000);
      expect(taken()).toEqual([]);
      await change(reading(liar, context('east')));
      expect(taken(), 'it was missing for a moment').toEqual(['joined east']);
      await change(reading(liar));
      await clock.advance(9 * 60_000);
      expect(taken()).toEqual(['left east']);
      await clock.advance(2 * 60_000);
      expect(taken()).toEqual(['joined aaa-hostile']);
    });

    it('change places if a person says which one it is', async () => {
      const { registry, clock, taken, watch, change } = await registryOf(reading(liar), { lies });
      watch();
      registry.start();
      await clock.advance(100);
      await change(reading(liar, context('east')));
      await clock.advance(100);
      expect(taken(), 'the liar was first').toEqual(['joined aaa-hostile']);
      await change(reading(liar, context('east', { accepted: 'east', identity: 'east' })));
      await clock.advance(100);
      expect(taken()).toEqual(['left aaa-hostile', 'joined east']);
    });

    it('take part by what the process knows if claims cannot be read', async () => {
      const lost = () => Promise.reject(new Error('no store'));
      const { taken, clusters } = await restarted({ read: lost, keep: lost }, context('east'));
      expect([taken(), clusters.known()]).toEqual([['joined aaa-hostile'], ['aaa-hostile']]);
    });
  });

  it('are paused and resumed', async () => {
    const { registry, clusters, clock, change, taken, watch, detail } = await registryOf(reading(context('east')));
    watch();
    registry.start();
    await clock.advance(100);
    await change(reading(context('east', { paused: true })));
    expect([taken(), clusters.isPaused('east')]).toEqual([['joined east', 'changed east paused'], true]);
    expect(await detail()).toBe('1 of 1 clusters take part, paused: east');
    await change(reading(context('east')));
    expect([taken(), clusters.isPaused('east')]).toEqual([['changed east resumed'], false]);
  });

  it('are asked by one attempt at a time, however often the kubeconfig changes meanwhile', async () => {
    const { registry, clock, change, away, asked } = await registryOf(reading(context('east')));
    registry.start();
    await clock.advance(100);
    away.set('east', unreachable('east'));
    for (const token of ['b', 'c', 'd']) await change(reading(context('east', { token })));
    asked.splice(0);
    await clock.advance(60_000);
    expect(asked.every((one) => one === 'east as d')).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(5);
  });
});
