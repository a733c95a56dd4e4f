import { isDeepStrictEqual } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { LIMITS, PATIENCE_MS, pause } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { KillWalk } from '../story/kill-walk/kill-walk.js';
import { CATALOG, type Played } from '../story/kill-walk/walked-story.js';
import { type KillPoint, WriteCounter } from '../story/kill-walk/write-counter.js';
import { normalised } from '../story/normalised-dump.js';
import { type RestartableRedis, startRestartableRedis } from '../story/restartable-redis.js';

/** Longer than a busy machine holds up a service between two writes. */
const STILL_FOR_MS = 5_000;
const WHEN: readonly KillPoint['when'][] = ['before', 'after'];
const SOURCE = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  namespace: 'olm',
  name: 'another',
} as const;

/** Commands of a resolver worker to Redis while it runs a job. */
const WORDS: readonly (readonly [doing: string, words: RegExp])[] = [
  ['it asks for the problem', /getrange[\s\S]*:problem:/i],
  ['it stores the solution', /\r\nset\r\n[\s\S]*:solution-v/i],
  ['it reports the problem as solved', /:queue:solved:[\s\S]*"problem"/],
];

let registry: InMemoryRegistry;
let redis: RestartableRedis;
let proxy: TcpProxy;
let walk: KillWalk;
let passes: (piece: Buffer) => boolean = () => true;

beforeAll(async () => {
  registry = await startRegistry();
  redis = await startRestartableRedis();
  const url = new URL(redis.url);
  proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) }, (piece) => passes(piece));
  url.port = String(proxy.port);
  walk = await KillWalk.start(redis.url, registry, { 'resolver-worker': url.href });
});
afterAll(async () => {
  await walk?.stop();
  await proxy?.stop();
  await redis?.stop();
  await registry?.stop();
});

describe('a catalog poller that is killed', () => {
  /** Offers another catalog from nothing, until its CatalogSource has come to rest or reached `wanted`. */
  const offer = async (kills: readonly KillPoint[], wanted?: unknown) => {
    const { cluster } = walk.environment;
    const { apiVersion, kind, namespace, name } = SOURCE;
    const counter = new WriteCounter(walk.environment, 'catalog-poller', kills);
    try {
      const spec = { sourceType: 'grpc', image: `${registry.host}/${CATALOG}` };
      cluster.create({ apiVersion, kind, metadata: { name, namespace }, spec });
      let left: unknown;
      let since = performance.now();
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
        const now = normalised(cluster.get(SOURCE), kind);
        if (!isDeepStrictEqual(now, left)) since = performance.now();
        left = now;
        const ready = Object(Object(now).status).connectionState?.lastObservedState === 'READY';
        if (wanted === undefined ? ready && performance.now() - since > STILL_FOR_MS : isDeepStrictEqual(now, wanted))
          break;
        await pause(20);
      }
      return { left, writes: counter.writes, kills: counter.killed };
    } finally {
      await counter.end();
      cluster.delete(SOURCE);
    }
  };

  it('at any of its writes about a CatalogSource leaves what another one ends', { timeout: LIMITS.walk }, async () => {
    const undisturbed = await offer([]);
    expect(undisturbed.writes).toBeGreaterThan(0);
    expect(undisturbed.left).toMatchObject({ status: { connectionState: { lastObservedState: 'READY' } } });
    const killed: string[] = [];
    for (let write = 1; write <= undisturbed.writes; write += 1) {
      for (const when of WHEN) {
        const { left, kills } = await offer([{ write, when }], undisturbed.left);
        expect(left, kills.join('; ')).toEqual(undisturbed.left);
        killed.push(...kills);
      }
    }
    console.log(killed.join('\n'));
    // The last points may lie beyond the end of a story that needs fewer writes.
    expect(killed.length).toBeGreaterThanOrEqual(undisturbed.writes);
  });
});

describe('a resolver worker that is killed while a job of it runs', () => {
  let undisturbed: Played;
  beforeAll(async () => {
    undisturbed = await walk.undisturbed();
  });

  it.each(WORDS.flatMap(([doing, words]) => WHEN.map((when) => ({ doing, words, when }))))(
    '$when $doing: another one ends it',
    {
      timeout: LIMITS.walk,
    },
    async ({ words, when }) => {
      await forgetSolutions(redis.url);
      const resolver = walk.environment.service('resolver-worker');
      let restarted: Promise<void> | undefined;
      passes = (piece) => {
        if (restarted !== undefined || !words.test(piece.toString('latin1'))) return true;
        restarted = resolver.stop('SIGKILL').then(() => resolver.start());
        return when === 'after';
      };
      try {
        await walk.disturbed([], undisturbed, expect);
        expect(restarted, 'it was killed').toBeDefined();
      } finally {
        passes = () => true;
        await restarted;
      }
    },
  );
});

/** Each story asks the same. */
async function forgetSolutions(url: string): Promise<void> {
  const client = new Redis(url);
  try {
    const known = await client.keys('*:solution-v*');
    expect(known.length).toBeGreaterThan(0);
    await client.del(known);
  } finally {
    client.disconnect();
  }
}
