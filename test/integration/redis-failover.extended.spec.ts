import { once } from 'node:events';
import type { TestContext } from 'vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedis } from '#platform/redis/redis-connection';
import { historyOf } from '#platform/redis/redis-server-info';
import { silentLog } from '#platform/telemetry/log.port';
import { startTcpProxy } from '#testing/control-plane/tcp-proxy';
import { aWhile, PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import type { ConfiguredRedis } from './redis-support/configured-redis.js';
import { MASTER, type SentinelRedis, startSentinelRedis } from './redis-support/sentinel-redis.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });

describe('a connection to Redis behind Sentinels', needing(there), () => {
  let redis: SentinelRedis;
  beforeAll(async () => {
    redis = await startSentinelRedis();
  });
  afterAll(() => redis?.stop());

  const open = ({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, hosts: string) => {
    const url = `redis+sentinel://:${redis.password}@${hosts}/${MASTER}?sentinel_password=${redis.sentinelPassword}`;
    const connection = openRedis(url, silentLog);
    onTestFinished(() => connection.redis.disconnect());
    return connection;
  };

  it('passes over a Sentinel that accepts connections and answers nothing', async (test) => {
    const silent = await startTcpProxy({ host: '127.0.0.1', port: redis.sentinels[0].port });
    test.onTestFinished(() => silent.stop());
    silent.stall();
    const { redis: client } = open(test, `127.0.0.1:${silent.port},${redis.hosts}`);
    await expect.poll(() => client.status, PATIENCE).toBe('ready');
  });

  it('sends all writes again that a demoted master refuses, and Node warns of nothing', async (test) => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    process.on('warning', onWarning);
    test.onTestFinished(() => void process.off('warning', onWarning));
    const [master, replica] = redis.servers;
    const { redis: client, serverInfo } = open(test, redis.hosts);
    await client.set('written', 'before');
    const before = historyOf(serverInfo());
    await master.admin.call('REPLICAOF', '127.0.0.1', String(replica.port));
    const names = Array.from({ length: 20 }, (_, at) => `written-${at}`);
    const written = Promise.all(names.map((name) => client.set(name, 'again')));
    await expect.poll(() => client.status, PATIENCE).not.toBe('ready');
    await master.admin.call('REPLICAOF', 'NO', 'ONE');
    expect(await written).toEqual(names.map(() => 'OK'));
    expect(historyOf(serverInfo()), 'what it had is perhaps not what it has').not.toBe(before);
    expect(warnings).toEqual([]);
  });

  it('comes back after a fail-over of which it learns while it asks where the master is', async (test) => {
    let asked = 0;
    let isHeld = false;
    const passes = (piece: Buffer) => {
      if (!piece.includes('get-master-addr-by-name')) return true;
      asked += 1;
      return !isHeld;
    };
    const sentinel = await startTcpProxy({ host: '127.0.0.1', port: redis.sentinels[0].port }, passes);
    test.onTestFinished(() => sentinel.stop());
    const { redis: client } = open(test, `127.0.0.1:${sentinel.port}`);
    // As the queue makes one for each of its workers.
    const worker = client.duplicate();
    test.onTestFinished(() => worker.disconnect());
    const statuses = () => [client.status, worker.status];
    await expect.poll(statuses, PATIENCE).toEqual(['ready', 'ready']);
    const announced = announcement(test, redis.sentinels[0]);
    await announced.subscribed;
    [asked, isHeld] = [0, true];
    await redis.servers[0].kill();
    await expect.poll(() => asked, PATIENCE).toBeGreaterThanOrEqual(2);
    await announced.come;
    await aWhile(); // until the clients have it, too
    isHeld = false;
    sentinel.cut();
    await expect.poll(statuses, PATIENCE).toEqual(['ready', 'ready']);
  });

  it('does not say of Sentinels that they are unreachable where they name a master that is away', async (test) => {
    await redis.servers[1].kill();
    const said: string[] = [];
    open(test, redis.hosts).redis.on('error', ({ message }) => said.push(message));
    await expect.poll(() => said.length, PATIENCE).toBeGreaterThanOrEqual(4);
    for (const message of said) expect(message).toMatch(/^connect ECONNREFUSED /);
  });
});

/** Returns the announcement of a fail-over by a Sentinel. */
function announcement({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, { admin }: ConfiguredRedis) {
  const subscriber = admin.duplicate();
  onTestFinished(() => subscriber.disconnect());
  return { subscribed: subscriber.subscribe('+switch-master'), come: once(subscriber, 'message') };
}
