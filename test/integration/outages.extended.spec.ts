import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { LogLine, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import { MASTER, type SentinelRedis, startSentinelRedis } from './redis-support/sentinel-redis.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });

const NAMESPACES = 12;
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const REDIS_AWAY = 'Redis cannot be used; trying again';
const REDIS_BACK = 'Redis connection is back';
const CLUSTER_AWAY = 'cluster does not answer';
const CLUSTER_BACK = 'cluster answers again';
const MINUTE_MS = 60_000;
/** An outage is watched for so long that a second line of it may come. */
const WATCHED_MS = 65_000;

/** Log lines since a moment, by service. */
class Log {
  private constructor(
    private readonly services: readonly ServiceProcess[],
    private readonly seen: ReadonlyMap<ServiceProcess, number>,
    private readonly since: number,
  ) {}

  static async from(services: readonly ServiceProcess[]): Promise<Log> {
    const seen = await Promise.all(services.map(async (one) => [one, (await one.logged()).length] as const));
    return new Log(services, new Map(seen), Date.now());
  }

  lines(service: ServiceProcess): Promise<LogLine[]> {
    return service.logged().then((all) => all.slice(this.seen.get(service)));
  }

  /** Waits until each service has logged this so many times. */
  async each(msg: string, times = 1): Promise<void> {
    for (const service of this.services) {
      const count = async () => (await this.lines(service)).filter((line) => line['msg'] === msg).length;
      await expect.poll(count, { ...LONG_PATIENCE, message: `${service.name}: ${msg}` }).toBeGreaterThanOrEqual(times);
    }
  }

  /** Every warning and error is one of the outage: one when it begins, and at most one in each minute. */
  async isQuiet(msg: string): Promise<void> {
    const minutes = Math.floor((Date.now() - this.since) / MINUTE_MS);
    for (const service of this.services) {
      const bad = (await this.lines(service)).filter(({ level }) => level === 'warn' || level === 'error');
      expect(
        bad.filter((line) => line['msg'] !== msg),
        service.name,
      ).toEqual([]);
      expect(bad.length, service.name).toBeLessThanOrEqual(1 + minutes);
    }
  }

  /** Counts the log lines with this message in each service. */
  counts(msg: string): Promise<number[]> {
    const count = async (service: ServiceProcess) =>
      (await this.lines(service)).filter((line) => line['msg'] === msg).length;
    return Promise.all(this.services.map(count));
  }
}

describe('services at work', needing(there), () => {
  let folder: string;
  let redis: SentinelRedis;
  let fleet: SimulatedFleet;
  let proxy: TcpProxy;
  let environment: ServicesEnvironment | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-outages-'));
    redis = await startSentinelRedis();
    fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 200 });
    const port = Number(new URL(fleet.cluster('east').url).port);
    proxy = await startTcpProxy({ host: '127.0.0.1', port });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig().replace(`:${port}/`, `:${proxy.port}/`), { mode: 0o600 });
    const query = `?sentinel_password=${redis.sentinelPassword}`;
    const url = `redis+sentinel://:${redis.password}@${redis.hosts}/${MASTER}${query}`;
    environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig], redis: { url, how: 'of the test' } });
    await allRunning(environment.services);
    await Promise.all(environment.clients.map(serveCrds));
    for (let n = 0; n < NAMESPACES; n += 1) work(`team-${n}`);
    await done(`team-${NAMESPACES - 1}`);
  });
  afterAll(async () => {
    await environment?.stop();
    await proxy?.stop();
    await fleet?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const services = (): readonly ServiceProcess[] => environment?.services ?? [];
  function work(name: string): void {
    fleet.cluster('east').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    fleet.cluster('east').create({ ...GROUP, metadata: { name: 'group', namespace: name }, spec: {} });
  }
  const done = (namespace: string) =>
    vi.waitFor(() => {
      const group = fleet.cluster('east').get({ ...GROUP, name: 'group', namespace });
      expect(group?.['status']).toMatchObject({ lastUpdated: expect.any(String) });
    }, LONG_PATIENCE);

  it('log one line when Redis and its Sentinels go, at most one a minute, and one when they are back', async () => {
    const log = await Log.from(services());
    const all = [...redis.servers, ...redis.sentinels];
    await Promise.all(all.map((server) => server.kill()));
    for (let n = 0; n < NAMESPACES; n += 1) work(`without-redis-${n}`);
    await log.each(REDIS_AWAY, 2);
    await log.isQuiet(REDIS_AWAY);
    const later = await Log.from(services());
    for (const server of all) await server.restart();
    await later.each(REDIS_BACK);
    await done(`without-redis-${NAMESPACES - 1}`);
    expect(await later.counts(REDIS_BACK)).toEqual(services().map(() => 1));
  });

  it('log one line when a cluster goes, at most one a minute, and one when it is back', async () => {
    const clustered = services().filter(({ service }) => service !== 'resolver-worker');
    const log = await Log.from(clustered);
    const began = Date.now();
    for (let n = 0; n < NAMESPACES; n += 1) work(`without-cluster-${n}`);
    proxy.refuse();
    await log.each(CLUSTER_AWAY);
    const before = proxy.connections();
    // Each service has tried it again and again.
    await expect.poll(() => Date.now() - began, LONG_PATIENCE).toBeGreaterThan(WATCHED_MS);
    expect(proxy.connections()).toBeGreaterThan(before + 2);
    await log.isQuiet(CLUSTER_AWAY);
    const later = await Log.from(clustered);
    proxy.resume();
    await later.each(CLUSTER_BACK);
    await done(`without-cluster-${NAMESPACES - 1}`);
    expect(await later.counts(CLUSTER_BACK)).toEqual(clustered.map(() => 1));
    await expect.poll(() => later.counts(CLUSTER_AWAY), PATIENCE).toEqual(clustered.map(() => 0));
  });
});
