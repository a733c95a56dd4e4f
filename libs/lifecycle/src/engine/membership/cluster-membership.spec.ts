import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ServerHistory } from '#platform/kube/client/watch-history';
import { type ClusterListener, fixedClusters } from '#platform/membership/service-clusters.port';
import { silentLog } from '#platform/telemetry/log.port';
import { ClusterMembership, type ClusterPart } from './cluster-membership.js';

const MINUTE = 60_000;

type Status = 'acts' | 'left to OLM' | 'does not answer';

type Fleet = Readonly<{
  clusters?: readonly string[];
  /** Evenly from 0 up to 1; 0.5 everywhere: no jitter, and every first time is half of the interval. */
  random?: () => number;
  /** How long a start takes, and before it the making of the parts. */
  startMs?: number;
  makingMs?: number;
}>;

const clientOf = (cluster: string) => ({ cluster, history: new ServerHistory() }) as unknown as KubeClient;

/** Knows how many timers are set. */
class CountingClock extends ManualClock {
  pending = 0;

  override after(delayMs: number, callback: () => void): () => void {
    this.pending += 1;
    let isSet = true;
    const end = () => {
      if (isSet) this.pending -= 1;
      isSet = false;
    };
    const cancel = super.after(delayMs, () => {
      end();
      callback();
    });
    return () => {
      end();
      cancel();
    };
  }
}

/** Two parts in each cluster. What is called of them is noted with the time in seconds. */
function fleet({ clusters = ['east'], random = () => 0.5, startMs = 0, makingMs = 0 }: Fleet = {}) {
  const clock = new CountingClock();
  const begun = clock.now().getTime();
  const events: string[] = [];
  const status = new Map<string, Status>(clusters.map((cluster) => [cluster, 'acts']));
  const unready = new Set<string>();
  const redis: { empty: () => void; watched: boolean } = { empty: () => undefined, watched: true };
  const note = (text: string) => events.push(`${Math.round((clock.now().getTime() - begun) / 1_000)}s ${text}`);
  const part = (name: string): ClusterPart => ({
    start: async () => {
      note(`${name} starts`);
      if (startMs > 0) await clock.sleep(startMs);
    },
    touchAll: () => void note(`${name} is published`),
    resyncs: () => [{ name, run: () => void note(`${name} is resynced`) }],
    stop: async () => void note(`${name} stops`),
    leave: async () => void note(`${name} leaves`),
  });
  const registry: { change: ClusterListener; watched: boolean } = { change: () => undefined, watched: true };
  const clients = new Map(clusters.map((cluster) => [cluster, clientOf(cluster)]));
  const fixed = fixedClusters([...clients.values()]);
  const membership = new ClusterMembership({
    clusters: {
      subscribe: (listener) => {
        registry.change = listener;
        fixed.subscribe(listener);
        return () => {
          registry.watched = false;
        };
      },
    },
    detectors: {
      status: async (cluster) => {
        const now = status.get(cluster);
        if (now === 'does not answer') throw new Error('connect ECONNREFUSED');
        return now === 'acts' ? { acts: true, signs: [] } : { acts: false, because: 'OLM is installed', signs: [] };
      },
      againAfterMs: (cluster) => (status.get(cluster) === 'acts' ? 5 * MINUTE : MINUTE),
      doubt: (cluster) => void note(`${cluster} is doubted`),
    },
    clock,
    log: silentLog,
    random,
    resyncIntervalMs: 10 * MINUTE,
    partsOf: async ({ cluster }) => {
      if (makingMs > 0) await clock.sleep(makingMs);
      if (unready.has(cluster)) throw new Error('no API of that name');
      return { a: part(`a of ${cluster}`), b: part(`b of ${cluster}`) };
    },
    watchStore: async (onEmptied) => {
      redis.empty = onEmptied;
      return () => {
        redis.watched = false;
      };
    },
  });
  const taken = () => events.splice(0);
  return { membership, clock, status, unready, redis, registry, taken, clients };
}

/** The API server of the cluster turns out to have another history. */
function goBack({ clients, clock }: ReturnType<typeof fleet>, cluster: string): void {
  const client = clients.get(cluster);
  if (client !== undefined) client.history?.found('it was restored', { client, clock });
}

describe('the clusters of a process', () => {
  it('join once they answer, every part of each', async () => {
    const { membership, clock, taken } = fleet({ clusters: ['east', 'west'] });
    membership.start();
    expect(membership.of('east')).toBeUndefined();
    await clock.advance(1_000);
    expect(taken()).toEqual([
      '0s a of east starts',
      '0s b of east starts',
      '0s a of west starts',
      '0s b of west starts',
    ]);
    expect([...membership.all().keys()]).toEqual(['east', 'west']);
    expect(membership.of('south')).toBeUndefined();
  });

  it.each([
    {
      because: 'the cluster does not answer',
      away: ({ status }: ReturnType<typeof fleet>) => status.set('east', 'does not answer'),
      problem: 'connect ECONNREFUSED',
      back: ({ status }: ReturnType<typeof fleet>) => status.set('east', 'acts'),
    },
    {
      because: 'its parts cannot be made',
      away: ({ unready }: ReturnType<typeof fleet>) => unready.add('east'),
      problem: 'no API of that name',
      back: ({ unready }: ReturnType<typeof fleet>) => unready.delete('east'),
    },
  ])(
    'are tried again after 5 s, 10 s, 20 s, with the reason known, where $because',
    async ({ away, problem, back }) => {
      const running = fleet({ clusters: ['east', 'west'] });
      const { membership, clock, taken } = running;
      away(running);
      membership.start();
      await clock.advance(16_000);
      expect(membership.problemOf('east')).toBe(problem);
      expect(taken(), 'the other cluster is not held up').toEqual(['0s a of west starts', '0s b of west starts']);
      back(running);
      await clock.advance(18_000);
      expect(taken(), '5 s and 10 s were over, 20 s were not').toEqual([]);
      await clock.advance(2_000);
      expect(taken()).toEqual(['35s a of east starts', '35s b of east starts']);
      expect(membership.problemOf('east')).toBeUndefined();
    },
  );

  it('are left once OLM has come, and join again once it has gone', async () => {
    const { membership, clock, status, taken } = fleet({ random: () => 0.75 });
    membership.start();
    await clock.advance(1_000);
    taken();
    status.set('east', 'left to OLM');
    await clock.advance(5 * MINUTE);
    const did = taken().filter((event) => !event.endsWith(' is resynced'));
    expect(did).toEqual(['300s a of east leaves', '300s b of east leaves']);
    expect([membership.of('east'), membership.problemOf('east')]).toEqual([undefined, undefined]);
    await clock.advance(30 * MINUTE);
    expect(taken(), 'a cluster that has left is resynced no more').toEqual([]);
    status.set('east', 'acts');
    await clock.advance(MINUTE);
    expect(taken()).toEqual(['2160s a of east starts', '2160s b of east starts']);
  });

  it('have no timer left once they have left but that of the next check, so that their parts can be freed', async () => {
    const { membership, clock, redis, status, taken } = fleet({ clusters: ['east', 'west'], random: () => 0.75 });
    membership.start();
    await clock.advance(5 * MINUTE);
    taken();
    status.set('east', 'left to OLM');
    redis.empty();
    expect(clock.pending, 'a check, a resync and a publication for each').toBe(6);
    await clock.advance(1_000);
    expect(taken().filter((event) => event.includes('east'))).toEqual([
      '300s a of east leaves',
      '300s b of east leaves',
    ]);
    expect(clock.pending, 'a check for each, a resync for the one that stayed').toBe(3);
  });

  it('keep their parts while they do not answer', async () => {
    const { membership, clock, status, taken } = fleet();
    membership.start();
    await clock.advance(1_000);
    status.set('east', 'does not answer');
    await clock.advance(5 * MINUTE);
    expect(membership.problemOf('east'), 'the watches report it').toBeUndefined();
    status.set('east', 'left to OLM');
    await clock.advance(30_000);
    expect(taken().at(-1), 'checked again after 30 s').toBe('330s b of east leaves');
  });

  it('have each of their parts resynced once in each interval, at a time of its own', async () => {
    const { membership, clock, taken } = fleet();
    membership.start();
    await clock.advance(MINUTE - 1);
    for (const _ of [1, 2, 3]) {
      taken();
      await clock.advance(10 * MINUTE);
      expect(taken().map((event) => event.replace(/^\d+s /, ''))).toHaveLength(2);
    }
    await clock.advance(10 * MINUTE);
    const [one = '', other = ''] = taken();
    expect(new Set([one.split(' ')[0], other.split(' ')[0]]).size, 'not at the same time').toBe(2);
  });

  it('are resynced only after their start', async () => {
    const { membership, clock, taken } = fleet({ startMs: 20 * MINUTE });
    membership.start();
    await clock.advance(20 * MINUTE - 1);
    expect(taken()).toEqual(['0s a of east starts', '0s b of east starts']);
    await clock.advance(10 * MINUTE);
    expect(
      taken()
        .map((event) => event.replace(/^\d+s /, ''))
        .toSorted(),
    ).toEqual(['a of east is resynced', 'b of east is resynced']);
  });

  it('are published again, each at its turn, once Redis was emptied', async () => {
    const { membership, clock, redis, status, taken } = fleet({ clusters: ['east', 'west'] });
    status.set('west', 'left to OLM');
    membership.start();
    await clock.advance(1_000);
    taken();
    redis.empty();
    await clock.advance(1_000);
    expect(taken(), 'a cluster that has not joined has nothing to publish').toEqual([
      '1s a of east is published',
      '1s b of east is published',
    ]);
  });

  it('are left as they are after the stop', async () => {
    const { membership, clock, redis, status, taken } = fleet();
    membership.start();
    await clock.advance(1_000);
    taken();
    await membership.stop();
    expect(taken()).toEqual(['1s a of east stops', '1s b of east stops']);
    expect(redis.watched).toBe(false);
    status.set('east', 'left to OLM');
    redis.empty();
    await clock.advance(60 * MINUTE);
    expect(taken()).toEqual([]);
  });

  it('do not join after the stop, which may come while they are asked', async () => {
    const { membership, clock, taken } = fleet({ makingMs: 10_000 });
    membership.start();
    await clock.advance(5_000);
    await membership.stop();
    await clock.advance(60 * MINUTE);
    const did = taken();
    expect(did.filter((line) => !line.endsWith(' stops'))).toEqual([]);
    expect(did, 'parts that came too late give back what they hold').not.toEqual([]);
  });

  it('join and leave as the registry says, with all timers', async () => {
    const { membership, clock, registry, status, taken } = fleet({ random: () => 0.75 });
    membership.start();
    await clock.advance(1_000);
    const timers = clock.pending;
    status.set('west', 'acts');
    await registry.change([{ kind: 'joined', cluster: 'west', client: clientOf('west') }]);
    await clock.advance(0);
    expect(membership.of('west')).toBeDefined();
    taken();
    await registry.change([{ kind: 'left', cluster: 'west' }]);
    expect(taken()).toEqual(['1s a of west leaves', '1s b of west leaves']);
    expect([membership.of('west'), clock.pending]).toEqual([undefined, timers]);
    await membership.stop();
    expect(registry.watched).toBe(false);
  });

  it('do not join once they have left, which may come while they are asked', async () => {
    const { membership, clock, registry, taken } = fleet({ makingMs: 10_000 });
    membership.start();
    await clock.advance(5_000);
    await registry.change([{ kind: 'left', cluster: 'east' }]);
    await clock.advance(60 * MINUTE);
    const begun = taken().filter((line) => !line.endsWith(' stops'));
    expect([begun, clock.pending]).toEqual([[], 0]);
  });

  it('are resynced when a pause ends, and tried at once with a new login', async () => {
    const { membership, clock, registry, status, taken } = fleet({ clusters: ['east', 'west'] });
    status.set('west', 'does not answer');
    membership.start();
    await clock.advance(1_000);
    taken();
    await registry.change([{ kind: 'changed', cluster: 'east', what: 'paused' }]);
    await registry.change([{ kind: 'changed', cluster: 'east', what: 'access' }]);
    expect(taken()).toEqual([]);
    await registry.change([{ kind: 'changed', cluster: 'east', what: 'resumed' }]);
    expect(taken()).toEqual(['1s a of east is resynced', '1s b of east is resynced']);
    status.set('west', 'acts');
    await registry.change([{ kind: 'changed', cluster: 'west', what: 'access' }]);
    await clock.advance(0);
    expect(taken()).toEqual(['1s a of west starts', '1s b of west starts']);
  });

  it('leave and join again as new ones when their API server went back, and the others stay', async () => {
    const running = fleet({ clusters: ['east', 'west'] });
    const { membership, clock, taken } = running;
    membership.start();
    await clock.advance(1_000);
    const before = membership.of('east');
    taken();
    goBack(running, 'east');
    await clock.advance(1_000);
    expect(taken()).toEqual([
      '1s east is doubted',
      '1s a of east leaves',
      '1s b of east leaves',
      '1s a of east starts',
      '1s b of east starts',
    ]);
    expect(membership.of('east')).not.toBe(before);
    goBack(running, 'east');
    await clock.advance(1_000);
    expect(taken().filter((event) => event.includes('a of east'))).toEqual([
      '2s a of east leaves',
      '2s a of east starts',
    ]);
  });

  it('that went back together join again at times of their own', async () => {
    const clusters = Array.from({ length: 1_000 }, (_, n) => `c${n}`);
    let turn = 0;
    const random = () => {
      turn += 1;
      return (turn % 100) / 100;
    };
    const running = fleet({ clusters, random });
    const { membership, clock, taken } = running;
    membership.start();
    await clock.advance(60_000);
    taken();
    for (const cluster of clusters) goBack(running, cluster);
    await clock.advance(2_000);
    const started = taken().filter((event) => event.includes('a of') && event.includes('starts')).length;
    expect(started).toBeGreaterThan(0);
    expect(started).toBeLessThan(500);
    await clock.advance(30_000);
    expect(taken().filter((event) => event.includes('a of') && event.includes('starts')).length).toBe(1_000 - started);
  });
});
