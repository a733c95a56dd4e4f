import { isDeepStrictEqual } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { LIMITS } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { KillWalk } from '../story/kill-walk/kill-walk.js';
import { RedisCounter, type RedisPoint } from '../story/kill-walk/redis-counter.js';
import type { Played } from '../story/kill-walk/walked-story.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

/** Stride as in `kill-walk.spec.ts`; 1 takes all points, a quarter of an hour. */
const STRIDE = Number(process.env['FLOTILLA_KILL_STRIDE'] ?? 40);
const OFFSET = Number(process.env['FLOTILLA_KILL_OFFSET'] ?? Date.now()) % STRIDE;
/** The applier's are walked at its writes to clusters. */
const VICTIMS = ['catalog-poller', 'resolver-worker'] as const;

let registry: InMemoryRegistry;
let redis: RestartableRedis;
let walk: KillWalk;
const proxies: TcpProxy[] = [];
const counters = new Map<string, RedisCounter>();

beforeAll(async () => {
  registry = await startRegistry();
  redis = await startRestartableRedis();
  const own: Partial<Record<(typeof VICTIMS)[number], string>> = {};
  for (const name of VICTIMS) {
    const counter = new RedisCounter(() => walk.environment.service(name));
    const url = new URL(redis.url);
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) }, (piece) => counter.passes(piece));
    proxies.push(proxy);
    counters.set(name, counter);
    url.port = String(proxy.port);
    own[name] = url.href;
  }
  walk = await KillWalk.start(redis.url, registry, own);
});
afterAll(async () => {
  await walk?.stop();
  for (const proxy of proxies) await proxy.stop();
  await redis?.stop();
  await registry?.stop();
});

describe('a service that is killed at a command to Redis leaves what another one ends', () => {
  let undisturbed: Played;
  const points = new Map<string, RedisPoint[]>();
  beforeAll(async () => {
    // The first story writes values that later ones find: queues, shards, the records of packages.
    await walk.undisturbed();
    // Two stories share only some counts: the number of some commands depends on the faster service.
    for (let story = 1; story <= 2; story += 1) {
      await forget(redis.url);
      for (const counter of counters.values()) counter.begin();
      undisturbed = await walk.undisturbed();
      for (const [name, counter] of counters) {
        const found = counter.points();
        const before = points.get(name) ?? found;
        points.set(
          name,
          before.filter((point) => found.some((other) => isDeepStrictEqual(other, point))),
        );
      }
    }
  });

  it.each(VICTIMS)('%s, whether the command was done or not', { timeout: LIMITS.walk }, async (name) => {
    const counter = counters.get(name);
    if (counter === undefined) throw new Error(`${name} is not counted`);
    const all = points.get(name) ?? [];
    const walked = all.filter((_, index) => index % STRIDE === OFFSET);
    const failures: string[] = [];
    const reached: string[] = [];
    for (const point of walked) {
      await forget(redis.url);
      counter.begin(point);
      try {
        await walk.disturbed([], undisturbed, expect);
      } catch (error) {
        failures.push(`${point.when} ${point.command}, number ${point.number}: ${String(Object(error).message)}`);
      }
      if (counter.killed !== undefined) reached.push(point.command);
      await counter.end();
    }
    const settings = `FLOTILLA_KILL_STRIDE=${STRIDE} FLOTILLA_KILL_OFFSET=${OFFSET}`;
    console.log(`${settings}: ${name} killed at ${reached.length} of ${walked.length} points, of ${all.length} in all`);
    for (const command of new Set(walked.map((point) => point.command)))
      console.log(`${name}, ${command}: ${reached.filter((one) => one === command).length} points`);
    expect(failures).toEqual([]);
    // A story that needs fewer commands ends before some points: all of the few of a short walk may be such.
    if (STRIDE === 1) expect(reached.length).toBeGreaterThan(walked.length / 2);
  });
});

/** Makes every service forget the questions of earlier stories. */
async function forget(url: string): Promise<void> {
  const client = new Redis(url);
  try {
    for (const kind of ['problem', 'record', 'solution-v*', 'observation-v*']) {
      const known = await client.keys(`*:${kind}:*`);
      if (known.length > 0) await client.del(known);
    }
  } finally {
    client.disconnect();
  }
}
