import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { type FoundRedis, findRedis } from '#platform/redis/local/find-redis';
import { redisCheck } from '#platform/redis/redis-check';
import { connectRedis } from '#platform/redis/redis-connection';
import { startService } from '#platform/service/run-service';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { PATIENCE } from '#testing/patience';
import { thing, thingContract } from './queue-support/thing.contract.js';
import { runChild } from './redis-support/run-child.js';
import { partsModule } from './telemetry-support/parts.module.js';

const cleanUp: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step();
});

async function ownRedis(): Promise<FoundRedis> {
  const found = await findRedis({ log: () => undefined, preferExisting: false });
  cleanUp.push(() => found.stop());
  return found;
}

async function startThings(found: FoundRedis) {
  const redis = connectRedis(found.url);
  cleanUp.push(() => redis.disconnect());
  const metrics = new Metrics({ processMetrics: false });
  const queue = new BullmqJobQueue(thingContract, { redis, prefix: randomUUID() });
  metrics.watchQueues([queue]);
  let drained: () => void = () => undefined;
  const drain = new Promise<void>((resolve) => {
    drained = resolve;
  });
  const service = await startService({
    name: 'things',
    imports: [partsModule({ check: redisCheck(redis), drain: () => drain })],
    health: { registry: metrics.registry, checkTimeoutMs: 500 },
    bindAddress: '127.0.0.1',
    port: 0,
    log: silentLog,
    shutdownTimeoutMs: 1_000,
  });
  cleanUp.push(async () => {
    drained();
    await service.stop();
  });
  return { service, queue, drained };
}

async function get(url: string) {
  const response = await fetch(url);
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body: type.includes('json') ? await response.json() : await response.text() };
}

describe('a service over HTTP', () => {
  it('is not ready while Redis answers but refuses writes, as one that is full does', async () => {
    const found = await ownRedis();
    const { service } = await startThings(found);
    await expect.poll(async () => (await get(`${service.url}/readyz`)).status, PATIENCE).toBe(200);
    const admin = connectRedis(found.url);
    cleanUp.push(() => admin.disconnect());
    await admin.config('SET', 'maxmemory', '1');
    await expect
      .poll(async () => get(`${service.url}/readyz`), PATIENCE)
      .toMatchObject({
        status: 503,
        body: { details: { redis: { status: 'down', detail: expect.stringMatching(/^refuses writes: OOM/) } } },
      });
    await admin.config('SET', 'maxmemory', '0');
    await expect.poll(async () => (await get(`${service.url}/readyz`)).status, PATIENCE).toBe(200);
  });

  it('is alive and ready while Redis is there, and shows its queues', async () => {
    const { service, queue } = await startThings(await ownRedis());
    await expect.poll(async () => (await get(`${service.url}/readyz`)).status, PATIENCE).toBe(200);
    await queue.add(thing('a'));
    expect(await get(`${service.url}/livez`)).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await get(`${service.url}/healthz`)).body).toMatchObject({
      status: 'ok',
      details: { redis: { status: 'up', detail: 'takes writes' }, service: { status: 'up' } },
    });
    const { body: build } = await get(`${service.url}/version`);
    expect(build).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.version });
    const metrics = await get(`${service.url}/metrics`);
    expect(metrics.type).toContain('text/plain');
    expect(metrics.body).toContain('bullmq_job_count{queue="things",state="waiting"} 1');
  });

  it('without Redis it stays alive, says that Redis is what is missing, and still answers scrapes', async () => {
    const found = await ownRedis();
    const { service } = await startThings(found);
    await expect.poll(async () => (await get(`${service.url}/readyz`)).status, PATIENCE).toBe(200);
    await found.stop();
    await expect.poll(async () => (await get(`${service.url}/readyz`)).status, PATIENCE).toBe(503);
    const { body } = await get(`${service.url}/readyz`);
    expect(body).toMatchObject({ status: 'error', error: { redis: { status: 'down', detail: expect.any(String) } } });
    expect(JSON.stringify(body)).not.toContain(new URL(found.url).password);
    expect((await get(`${service.url}/livez`)).status).toBe(200);
    expect((await get(`${service.url}/metrics`)).status).toBe(200);
  });

  it('while it ends it is alive but not ready', async () => {
    const { service, drained } = await startThings(await ownRedis());
    await expect.poll(async () => (await get(`${service.url}/readyz`)).status, PATIENCE).toBe(200);
    const stopping = service.stop();
    expect(await get(`${service.url}/readyz`)).toMatchObject({
      status: 503,
      body: { error: { service: { status: 'down', detail: 'is ending' } } },
    });
    expect((await get(`${service.url}/livez`)).status).toBe(200);
    drained();
    await stopping;
    await expect(fetch(`${service.url}/livez`)).rejects.toThrow();
  });

  it.each([
    { bindAddress: '127.0.0.1', logged: /^http:\/\/127\.0\.0\.1:\d+$/ },
    { bindAddress: '0.0.0.0', logged: /^http:\/\/0\.0\.0\.0:\d+$/ },
  ])('logs the address that it listens on: $bindAddress', async ({ bindAddress, logged }) => {
    const fields: unknown[] = [];
    const { registry } = new Metrics({ processMetrics: false });
    const service = await startService({
      name: 'things',
      imports: [],
      health: { registry },
      bindAddress,
      port: 0,
      log: { ...silentLog, info: (facts) => fields.push(facts) },
      shutdownTimeoutMs: 1_000,
    });
    cleanUp.push(() => service.stop());
    expect((await get(`${service.url}/livez`)).status).toBe(200);
    expect(fields[0]).toEqual({ url: expect.stringMatching(logged) });
  });

  it('a path that is not served is a JSON 404', async () => {
    const { service } = await startThings(await ownRedis());
    expect(await get(`${service.url}/nothing`)).toMatchObject({ status: 404, body: { statusCode: 404 } });
  });
});

describe('a service as a process', () => {
  const start = async (found: FoundRedis, jobMs: number, shutdownMs: number) => {
    const prefix = randomUUID();
    const args = [found.url, prefix, String(jobMs), String(shutdownMs)];
    const child = runChild(new URL('./telemetry-support/service.child.ts', import.meta.url), args);
    cleanUp.push(() => void child.process.kill('SIGKILL'));
    const redis = connectRedis(found.url);
    const queue = new BullmqJobQueue(thingContract, { redis, prefix });
    cleanUp.push(async () => {
      await queue.close();
      redis.disconnect();
    });
    await child.line('url ');
    return { child, queue };
  };

  it('SIGTERM: finishes the job it has begun, then ends with 0', async () => {
    const { child, queue } = await start(await ownRedis(), 1_500, 20_000);
    await queue.add(thing('a'));
    await child.line('started a');
    const exited = once(child.process, 'exit');
    child.process.kill('SIGTERM');
    await child.line('finished a');
    expect((await exited)[0]).toBe(0);
    expect(await queue.counts()).toMatchObject({ waiting: 0, active: 0, delayed: 0, completed: 1 });
  });

  it('SIGTERM with a job that does not end: stops it at the deadline, leaves it to others, ends with 0', async () => {
    const { child, queue } = await start(await ownRedis(), 3_600_000, 300);
    await queue.add(thing('a'));
    await child.line('started a');
    const exited = once(child.process, 'exit');
    child.process.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
    const runs: string[] = [];
    await queue.process(
      async (job) => {
        runs.push(job.thing);
      },
      { concurrency: 1 },
    );
    await expect.poll(() => runs, PATIENCE).toEqual(['a']);
  });

  it('SIGTERM while Redis is gone: ends with 0 all the same', async () => {
    const found = await ownRedis();
    const child = runChild(new URL('./telemetry-support/service.child.ts', import.meta.url), [found.url, randomUUID()]);
    cleanUp.push(() => void child.process.kill('SIGKILL'));
    const url = await child.line('url ');
    await expect.poll(async () => (await get(`${url}/readyz`)).status, PATIENCE).toBe(200);
    await found.stop();
    await expect.poll(async () => (await get(`${url}/readyz`)).status, PATIENCE).toBe(503);
    const exited = once(child.process, 'exit');
    child.process.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
  });
});
