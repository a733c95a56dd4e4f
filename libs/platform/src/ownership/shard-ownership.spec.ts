import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardOf, shardWeights } from '#core/cluster/ownership/shard';
import { ManualClock } from '../clock/manual-clock.js';
import { silentLog } from '../telemetry/log.port.js';
import { type LeaseRequest, Leases, type LeaseTable } from './leases.port.js';
import { MemoryLeases } from './memory-leases.js';
import type { ShardLoss } from './shard-follower.port.js';
import { ShardOwnership } from './shard-ownership.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);
const SHARDS = 16;
const LEASE_MS = 10_000;
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
/** A cluster of each shard. */
const CLUSTER_OF = ALL.map((shard) => {
  for (let at = 0; ; at += 1) if (shardOf(`cluster-${at}`, SHARDS) === shard) return `cluster-${at}`;
});

/** The way of one process to the leases, which can break. */
class Link extends Leases {
  state: 'works' | 'refuses' | 'loses answers' | 'hangs' = 'works';
  readonly #hanging: (() => void)[] = [];

  constructor(private readonly hub: { leases: Leases }) {
    super();
  }

  async exchange(request: LeaseRequest): Promise<LeaseTable> {
    if (this.state === 'refuses') throw new Error('connection refused');
    if (this.state === 'hangs') await new Promise<void>((resolve) => this.#hanging.push(resolve));
    const table = await this.hub.leases.exchange(request);
    if (this.state === 'loses answers') throw new Error('connection reset');
    return table;
  }

  repair(): void {
    this.state = 'works';
    for (const resume of this.#hanging.splice(0)) resume();
  }
}

type Running = Readonly<{
  ownership: ShardOwnership;
  link: Link;
  /** What it read in its kubeconfigs. */
  reads: (clusters: readonly string[]) => void;
  /** What its follower was called with. */
  events: string[];
  kill(): void;
}>;

type HubOptions = Readonly<{ drainMs?: number; clusters?: readonly string[] }>;

/** Processes that share shards, in one clock; without clusters all shards weigh the same. */
function hub({ drainMs = 0, clusters = [] }: HubOptions = {}) {
  const clock = new ManualClock();
  const shared: { leases: Leases } = { leases: new MemoryLeases(clock) };
  const running = new Map<string, Running>();
  const start = (member: string): Running => {
    const events: string[] = [];
    const link = new Link(shared);
    let read = shardWeights(clusters, SHARDS);
    const weights = () => read;
    const reads = (names: readonly string[]) => {
      read = shardWeights(names, SHARDS);
    };
    const ownership = new ShardOwnership({
      ...{ leases: link, clock, log: silentLog, member, weights },
      ...{ shards: SHARDS, leaseMs: LEASE_MS },
    });
    ownership.follow({
      gained: (shard) => void events.push(`gained ${shard}`),
      lost: async (shard: number, how: ShardLoss) => {
        events.push(`${how} ${shard}`);
        if (how === 'moved') await clock.sleep(drainMs);
        events.push(`ended ${shard}`);
      },
    });
    // A process that was killed sends nothing more, and no answer reaches it.
    const kill = () => {
      link.state = 'hangs';
      running.delete(member);
    };
    const process = { ownership, link, reads, events, kill };
    running.set(member, process);
    ownership.start();
    return process;
  };
  const actors = (shard: number) =>
    [...running].filter(([, { ownership }]) => ownership.acts(CLUSTER_OF[shard] ?? '')).map(([member]) => member);
  const owned = () => [...running.values()].map(({ ownership }) => ownership.shards.length);
  /** How many of the clusters each process has. */
  const parts = () =>
    [...running.values()].map(({ ownership }) => clusters.filter((cluster) => ownership.owns(cluster)).length);
  const empty = () => {
    shared.leases = new MemoryLeases(clock);
  };
  return { clock, clusters, start, running, actors, owned, parts, empty };
}

/** The largest part of the average by which a process has more or less. */
function unevenness(parts: readonly number[]): number {
  const average = parts.reduce((sum, part) => sum + part, 0) / parts.length;
  return Math.max(...parts.map((part) => Math.abs(part - average) / average));
}

const secondsUntil = async (clock: ManualClock, holds: () => boolean): Promise<number> => {
  for (let ms = 0; ms <= 120_000; ms += 100) {
    if (holds()) return ms / 1_000;
    await clock.advance(100);
  }
  throw new Error('it never held');
};

describe('the shards of a process', () => {
  it('are all at once, where it is the only one', async () => {
    const { clock, start } = hub();
    const { ownership, events } = start('a');
    await clock.advance(0);
    expect(ownership.shards).toEqual(ALL);
    expect(events).toEqual(ALL.map((shard) => `gained ${shard}`));
    expect(ownership.acts('east')).toBe(true);
  });

  it('stay its own as long as it lives', async () => {
    const { clock, start } = hub();
    const { ownership, events } = start('a');
    await clock.advance(600_000);
    expect(ownership.shards).toEqual(ALL);
    expect(events).toHaveLength(SHARDS);
  });

  it('move to processes that come, one by one, after their work has ended', async () => {
    const { clock, start, owned } = hub({ drainMs: 300 });
    const a = start('a');
    await clock.advance(1_000);
    const b = start('b');
    start('c');
    await clock.advance(60_000);
    expect(owned().toSorted()).toEqual([5, 5, 6]);
    const left = a.events.slice(SHARDS);
    expect(left).toHaveLength(2 * (SHARDS - a.ownership.shards.length));
    for (let at = 0; at < left.length; at += 2) {
      expect(left[at + 1], 'a shard moves once the one before has').toBe(left[at]?.replace('moved', 'ended'));
    }
    const first = Number(b.events[0]?.split(' ')[1]);
    expect(a.events.indexOf(`ended ${first}`)).toBeGreaterThan(0);
  });

  it('go to the others within 11 s of its death, and theirs stay where they are', async () => {
    const { clock, start, owned, actors } = hub();
    const processes = ['a', 'b', 'c'].map(start);
    await clock.advance(60_000);
    const [a, b, c] = processes;
    const before = [...(a?.ownership.shards ?? []), ...(c?.ownership.shards ?? [])];
    b?.kill();
    const seconds = await secondsUntil(clock, () => ALL.every((shard) => actors(shard).length === 1));
    expect(seconds).toBeLessThanOrEqual(LEASE_MS / 1_000 + 1);
    await clock.advance(30_000);
    expect(owned()).toEqual([8, 8]);
    const losses = [...(a?.events ?? []), ...(c?.events ?? [])].filter((event) => /^taken/.test(event));
    expect(losses).toEqual([]);
    for (const shard of before) expect([a, c].some((one) => one?.ownership.shards.includes(shard))).toBe(true);
  });

  it('are given up at its end, at once and for good', async () => {
    const { clock, start, owned, actors } = hub({ drainMs: 300 });
    const a = start('a');
    start('b');
    await clock.advance(60_000);
    const end = a.ownership.stop();
    await clock.advance(500);
    await end;
    expect(a.ownership.shards).toEqual([]);
    expect(await secondsUntil(clock, () => ALL.every((shard) => actors(shard).includes('b')))).toBeLessThan(3);
    await clock.advance(60_000);
    expect(owned()).toEqual([0, SHARDS]);
  });

  it.each(['refuses', 'loses answers', 'hangs'] as const)(
    'are not acted on before another could take them, where the connection %s',
    async (state) => {
      const { clock, start, actors } = hub();
      const a = start('a');
      start('b');
      await clock.advance(60_000);
      a.link.state = state;
      for (let ms = 0; ms < 60_000; ms += 100) {
        await clock.advance(100);
        for (const shard of ALL) expect(actors(shard).length).toBeLessThanOrEqual(1);
      }
      expect(a.ownership.isSure).toBe(false);
      if (state !== 'loses answers') expect(ALL.every((shard) => actors(shard).includes('b'))).toBe(true);
      a.link.repair();
      await clock.advance(60_000);
      expect(ALL.every((shard) => actors(shard).length === 1)).toBe(true);
      expect(a.ownership.shards).toHaveLength(8);
    },
  );

  it('stay with it where no other took them while it could not renew, and its work goes on', async () => {
    const { clock, start } = hub();
    const { ownership, link, events } = start('a');
    await clock.advance(60_000);
    const fence = ownership.fenceOf('east') ?? 0;
    link.state = 'hangs';
    await clock.advance(9_000);
    expect([ownership.acts('east'), ownership.owns('east')]).toEqual([false, true]);
    await clock.advance(30_000);
    link.repair();
    await clock.advance(3_000);
    expect(ownership.acts('east')).toBe(true);
    expect(ownership.fenceOf('east')).toBeGreaterThan(fence);
    expect(events, 'nothing was ended').toEqual(ALL.map((shard) => `gained ${shard}`));
  });

  it('stay where they are when the store of the leases is emptied', async () => {
    const { clock, start, running, empty } = hub();
    for (const member of ['a', 'b', 'c']) start(member);
    await clock.advance(60_000);
    const before = [...running.values()].map(({ ownership, events }) => [ownership.shards, events.length]);
    empty();
    await clock.advance(60_000);
    expect([...running.values()].map(({ ownership, events }) => [ownership.shards, events.length])).toEqual(before);
  });

  it('are not taken again before the work of the last time has ended', async () => {
    const { clock, start } = hub({ drainMs: 15_000 });
    const a = start('a');
    await clock.advance(1_000);
    const b = start('b');
    await clock.advance(5_000);
    b.kill();
    await clock.advance(120_000);
    expect(a.ownership.shards).toEqual(ALL);
    for (const shard of ALL) {
      const own = a.events.filter((event) => event.endsWith(` ${shard}`)).map((event) => event.split(' ')[0]);
      expect(['gained', 'gained moved ended gained']).toContain(own.join(' '));
    }
  });
});

const fleetOf = (count: number, at = 0): readonly string[] =>
  Array.from({ length: count }, (_, index) => `edge-${at}-${index}`);

describe('the clusters of a process', () => {
  it('are as many as those of the others, whatever processes come and go', async () => {
    const clusters = fleetOf(200);
    const { clock, start, running, parts } = hub({ clusters, drainMs: 300 });
    start('a');
    await clock.advance(60_000);
    expect(parts()).toEqual([200]);
    for (const member of ['b', 'c', 'd']) start(member);
    const isEven = () => unevenness(parts()) <= 0.2 && parts().reduce((sum, part) => sum + part, 0) === 200;
    expect(await secondsUntil(clock, isEven)).toBeLessThan(20);
    void running.get('b')?.ownership.stop();
    running.get('c')?.kill();
    await clock.advance(120_000);
    running.delete('b');
    expect(unevenness(parts())).toBeLessThanOrEqual(0.2);
  });

  it('are one for each of three processes, where there are three in shards of their own', async () => {
    const clusters = [0, 5, 9].flatMap((shard) => CLUSTER_OF[shard] ?? []);
    const { clock, start, parts } = hub({ clusters });
    for (const member of ['a', 'b', 'c']) start(member);
    await clock.advance(60_000);
    expect(parts()).toEqual([1, 1, 1]);
  });

  it('stay where they are once they are even: no shard goes to and fro', async () => {
    for (let at = 0; at < 8; at += 1) {
      const { clock, start, running } = hub({ clusters: fleetOf(200, at) });
      for (const member of ['a', 'b', 'c', 'd']) start(member);
      await clock.advance(120_000);
      const before = [...running.values()].map(({ events }) => events.length);
      await clock.advance(120_000);
      expect([...running.values()].map(({ events }) => events.length)).toEqual(before);
    }
  });

  it('all have a process, also where each process reads other kubeconfigs for good', async () => {
    const { clock, start, actors } = hub({ clusters: fleetOf(40) });
    for (const [at, member] of ['a', 'b', 'c'].entries()) start(member).reads(fleetOf(40, at));
    await clock.advance(60_000);
    const freeFor = ALL.map(() => 0);
    for (let ms = 0; ms < 120_000; ms += 500) {
      await clock.advance(500);
      for (const shard of ALL) {
        freeFor[shard] = actors(shard).length === 0 ? (freeFor[shard] ?? 0) + 500 : 0;
        expect(freeFor[shard], `shard ${shard}`).toBeLessThan(LEASE_MS + 5_000);
      }
    }
  });
});

type Step = Readonly<{ what: 'start' | 'kill' | 'stop' | 'break' | 'misread' | 'repair'; letter: string; ms: number }>;
type Hub = ReturnType<typeof hub>;

/** Carries out one step with the process whose name begins with the letter, or starts one of that name. */
function take({ start, running, clusters }: Hub, { what, letter }: Step, at: number): void {
  const known = [...running].find(([name]) => name.startsWith(letter))?.[1];
  if (known === undefined) {
    if (what === 'start') start(`${letter}${at}`);
    return;
  }
  if (what === 'kill') known.kill();
  if (what === 'misread') known.reads(clusters.slice(at * 10));
  if (what === 'break') known.link.state = 'hangs';
  if (what === 'repair' || what === 'stop') known.link.repair();
  if (what === 'stop') void known.ownership.stop();
}

async function passChecked({ clock, actors }: Hub, ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 250) {
    for (const shard of ALL) expect(actors(shard).length, `shard ${shard}`).toBeLessThanOrEqual(1);
    await clock.advance(250);
  }
}

describe(`shards, whatever happens to the processes (FLOTILLA_TEST_SEED=${seed})`, () => {
  const steps: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('start', 'start', 'start', 'kill', 'stop', 'break', 'break', 'misread', 'repair'),
    letter: fc.constantFrom('a', 'b', 'c'),
    ms: fc.integer({ min: 0, max: 15_000 }),
  });

  it('are never acted on by two processes, and in the end all are, with as many clusters each', async () => {
    const run = async (history: readonly Step[], fleet: number) => {
      const clusters = fleetOf(200, fleet);
      const ours = hub({ drainMs: 500, clusters });
      for (const [at, step] of history.entries()) {
        take(ours, step, at);
        await passChecked(ours, step.ms);
      }
      ours.start('last');
      for (const { link, reads } of ours.running.values()) {
        link.repair();
        reads(clusters);
      }
      await passChecked(ours, 180_000);
      const parts = ours.parts().filter((part) => part > 0);
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(clusters.length);
      expect(unevenness(parts)).toBeLessThanOrEqual(0.2);
      for (const shard of ALL) expect(ours.actors(shard)).toHaveLength(1);
    };
    const histories = fc.array(steps, { minLength: 6, maxLength: 16 });
    await fc.assert(fc.asyncProperty(histories, fc.nat(), run), { seed, numRuns: 8 });
  });
});
