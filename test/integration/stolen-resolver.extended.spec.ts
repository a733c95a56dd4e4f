import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { resolve } from '#core/classic/resolution/resolve';
import { shardOf } from '#core/cluster/ownership/shard';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { Subscription } from '#core/kernel/api/subscription';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { connectRedis } from '#platform/redis/redis-connection';
import { RedisProblemStore } from '#platform/store/redis-problem-store';
import { LONG_PATIENCE_MS, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { playScenario, SAMPLE_NAMESPACE } from '../../apps/cli/src/commands/demo/scenario.js';
import { Timeline } from '../../apps/cli/src/commands/demo/timeline.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

const OLM = 'operators.coreos.com/v1alpha1';
const EVIL = 'registry.evil.test/bundle:v1';
/** The default of `FLOTILLA_SHARDS`. */
const SHARDS = 16;
const partOf = (queue: string, cluster: string): string => `${queue}-${shardOf(cluster, SHARDS)}`;
const QUEUES = ['resolve', 'solved', partOf('apply', 'east'), partOf('observe', 'east')];
const GARBAGE: readonly unknown[] = [
  {},
  { v: 1 },
  { v: 2, problem: 'a'.repeat(64) },
  { v: 1, problem: '../../../etc/passwd' },
  { v: 1, problem: 'a'.repeat(64), extension: true },
  { v: 1, cluster: '../../..', namespace: '../secrets/x' },
  { v: 1, cluster: 'east', namespace: '../../kube-system' },
  { v: 1, cluster: 'east', namespace: 'x?watch=true#' },
  { v: 1, cluster: 'east', extension: '../../../api/v1/secrets' },
  { v: 1, cluster: 'east', objectSet: '../../../api/v1/secrets' },
  { v: 1, cluster: 'east', namespace: 'x', extension: 'x' },
  { v: 1, cluster: '__proto__', namespace: 'constructor' },
  { v: 1, cluster: 'east', namespace: 'x'.repeat(100_000) },
];

/**
 * Real poller and applier. In place of the resolvers a writer of all of Redis, as a stolen resolver is if
 * Redis has one user. With the shipped users it can write only solutions and its own queues
 * (redis-users.spec.ts).
 */
describe('a stolen resolver', () => {
  let environment: ServicesEnvironment;
  let redis: Redis;
  let store: RedisProblemStore;
  beforeAll(async () => {
    environment = await startQuickEnvironment();
    await allRunning(environment.services);
    for (const resolver of resolvers()) await resolver.stop('SIGKILL');
    redis = connectRedis(environment.redis.url);
    store = new RedisProblemStore(redis, { prefix: environment.redisPrefix });
  });
  afterAll(async () => {
    redis?.disconnect();
    await environment?.stop();
  });

  const resolvers = () => environment.services.filter(({ service }) => service === 'resolver-worker');
  const applier = (): ServiceProcess => {
    const found = environment.services.find(({ service }) => service === 'applier');
    if (found === undefined) throw new Error('no applier');
    return found;
  };
  const name = (kind: string, of: string) => `${environment.redisPrefix}:${kind}:${of}`;
  const observationOf = (cluster: string, namespace = SAMPLE_NAMESPACE) =>
    name('observation-v3', `${cluster}/${namespace}`);

  async function add(queue: string, job: unknown): Promise<void> {
    const contract = { name: queue, version: 1, schema: z.unknown(), keyOf: () => randomUUID() };
    const to = new BullmqJobQueue(contract, { redis, prefix: environment.redisPrefix });
    await to.add(job);
    await to.close();
  }
  const wake = (cluster: string) => add(partOf('apply', cluster), { v: 1, cluster, namespace: SAMPLE_NAMESPACE });

  /** Counts refused values, by kind. */
  async function refused(): Promise<Record<string, number>> {
    const text = await (await fetch(`${await applier().url()}/metrics`)).text();
    const counts: Record<string, number> = {};
    for (const [, what = '', count] of text.matchAll(/^flotilla_refused_values_total\{.*what="([^"]+)"\} (\d+)$/gm))
      counts[what] = (counts[what] ?? 0) + Number(count);
    return counts;
  }
  const refusedOf = async (what: string) => (await refused())[what] ?? 0;

  async function problemHashOf(cluster: string, namespace = SAMPLE_NAMESPACE): Promise<string> {
    const key = observationOf(cluster, namespace);
    await expect.poll(() => redis.exists(key), PATIENCE).toBe(1);
    return ((await redis.get(key)) ?? '').split(' ')[0] ?? '';
  }

  type Observed = Readonly<{ hash: string; problem: ResolutionProblem; solution: Resolved }>;

  /**
   * The problem of a cluster as it is observed at this moment; undefined while it has no solution, as
   * before its catalog is read.
   */
  async function resolvable(cluster: string, namespace: string): Promise<Observed | undefined> {
    const hash = await problemHashOf(cluster, namespace);
    const problem = await store.getProblem(hash);
    if (problem === undefined) return undefined;
    const records = await recordsOf(problem);
    const solution = resolve(problem, (record) => records.get(record) ?? { name: '', defaultChannel: '', entries: [] });
    return solution.result === 'resolved' ? { hash, problem, solution } : undefined;
  }

  async function observed(cluster: string, namespace = SAMPLE_NAMESPACE): Promise<Observed> {
    return vi.waitFor(async () => {
      const found = await resolvable(cluster, namespace);
      if (found === undefined) throw new Error(`no problem of cluster ${cluster} with a solution was observed`);
      return found;
    }, PATIENCE);
  }

  async function recordsOf({ catalogs }: ResolutionProblem): Promise<Map<string, PackageRecord>> {
    const records = new Map<string, PackageRecord>();
    for (const { record } of catalogs.flatMap(({ packages }) => packages)) {
      const found = await store.getRecord(record);
      if (found !== undefined) records.set(record, found);
    }
    return records;
  }

  /** Problem, records, solution and observation that fit together, with another image everywhere. */
  async function forgeAll(cluster: string, of: ResolutionProblem, code: string): Promise<void> {
    const forged = new Map<string, PackageRecord>();
    const catalogs = [];
    const records = await recordsOf(of);
    for (const slice of of.catalogs) {
      const packages = slice.packages.map((pkg) => {
        const honest = records.get(pkg.record);
        if (honest === undefined) throw new Error('a record is not there');
        const record = { ...honest, entries: honest.entries.map((entry) => ({ ...entry, source: { image: EVIL } })) };
        forged.set(canonicalHash(record), record);
        return { ...pkg, record: canonicalHash(record) };
      });
      catalogs.push({ ...slice, packages });
    }
    const problem = { ...of, catalogs };
    const hash = await store.putProblem(problem, forged);
    const solution = resolve(problem, (record) => forged.get(record) ?? { name: '', defaultChannel: '', entries: [] });
    expect(JSON.stringify(solution)).toContain(EVIL);
    await store.putSolution(hash, solution);
    await redis.set(observationOf(cluster), `${hash} ${Date.now()} ${code}`);
  }

  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    'another image in a solution': async () => {
      const { hash, solution } = await observed('east');
      const chosen = solution.chosen.map((bundle) => ({ ...bundle, source: { image: EVIL } }));
      await store.putSolution(hash, { ...solution, chosen });
      await add('solved', { v: 1, problem: hash });
      await expect.poll(() => refusedOf('solution'), PATIENCE).toBeGreaterThan(0);
    },
    'its own words in a condition': async () => {
      const before = await refusedOf('solution');
      const hash = await problemHashOf('east');
      const message = 'constraints not satisfiable: log in at https://evil.test';
      await store.putSolution(hash, { result: 'unsatisfiable', message, explanation: [], advice: message });
      await wake('east');
      await expect.poll(() => refusedOf('solution'), PATIENCE).toBeGreaterThan(before);
    },
    'problem, records, solution and observation of its own': async () => {
      const { problem } = await observed('west');
      const [, , code = ''] = ((await redis.get(observationOf('west'))) ?? '').split(' ');
      for (const forged of [code, 'A'.repeat(43), '']) {
        const before = await refusedOf('observation');
        // Again and again: new observations of the poller replace forged values.
        const forgeAgain = async () => {
          await forgeAll('west', problem, forged);
          await wake('west');
          return refusedOf('observation');
        };
        await expect.poll(forgeAgain, { ...PATIENCE, interval: 1_000 }).toBeGreaterThan(before);
      }
    },
    'a problem and records under hashes of others': async () => {
      const { hash, problem } = await observed('east');
      const records = [...(await recordsOf(problem)).keys()];
      for (const key of [name('problem', hash), ...records.map((record) => name('record', record))])
        await redis.set(key, `\u0000{"evil":"${EVIL}"}`);
      await add('solved', { v: 1, problem: hash });
      await wake('east');
    },
    'what was seen': async () => {
      const seen = name('seen-v2', `east/${SAMPLE_NAMESPACE}`);
      await redis.hset(seen, Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`Kind${at}`, '9 x'])));
      await redis.hset(seen, { Subscription: `${'9'.repeat(30)} forged`, InstallPlan: 'x'.repeat(1_000_000) });
      await wake('east');
      await expect.poll(() => refusedOf('seen'), PATIENCE).toBeGreaterThanOrEqual(2);
    },
    'jobs that are none, and jobs with paths for names': async () => {
      for (const queue of QUEUES) for (const job of GARBAGE) await add(queue, job);
    },
    'delayed jobs that are none, and some with paths for names': async () => {
      for (const queue of QUEUES) {
        const members = ['not JSON', '[]', '"x"', ...GARBAGE.map((job) => JSON.stringify(job))];
        await redis.zadd(name(`alarm:${queue}`, 'alarms'), ...members.flatMap((member) => [1, member]));
      }
    },
    'waiters that are none': async () => {
      const hash = await problemHashOf('west');
      await redis.sadd(name('waiters', hash), 'x', '{}', '{"cluster":"../..","namespace":"kube-system"}');
      await add('solved', { v: 1, problem: hash });
    },
  };

  it('installs nothing and says nothing by what it writes, is reported, and leaves nothing that stops a resolver', async () => {
    const attack = async () => {
      for (const [what, run] of Object.entries(attacks)) await run().catch((error: unknown) => fail(what, error));
      for (const client of environment.clients) {
        const namespaced = { namespace: SAMPLE_NAMESPACE };
        for (const kind of ['InstallPlan', 'ClusterServiceVersion']) {
          const found = await client.list<InstallPlan>({ apiVersion: OLM, kind }, namespaced);
          expect(
            found?.items.map(({ metadata }) => metadata.name),
            kind,
          ).toEqual([]);
        }
        const subscriptions = await client.list<Subscription>({ apiVersion: OLM, kind: 'Subscription' }, namespaced);
        expect(JSON.stringify(subscriptions)).not.toContain('evil');
        expect(JSON.stringify(await client.list({ apiVersion: 'v1', kind: 'Event' }, {}))).not.toContain('evil');
      }
      await expectReported();
      for (const resolver of resolvers()) resolver.start();
    };
    await playScenario({
      environment,
      timeline: new Timeline(() => undefined),
      examples: join(PROJECT_ROOT, 'examples'),
      patienceMs: LONG_PATIENCE_MS,
      onStep: async (scenarioStep) => {
        if (scenarioStep === 'subscribed') await attack();
      },
    });
    for (const client of environment.clients) {
      const csvs = await client.list(
        { apiVersion: OLM, kind: 'ClusterServiceVersion' },
        { namespace: SAMPLE_NAMESPACE },
      );
      expect(csvs?.items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        'harbor-operator.v1.2.0',
        'lighthouse-operator.v1.2.0',
      ]);
    }
  });

  it('installs no older version than OLM takes, and the applier says which one that is', async () => {
    for (const resolver of resolvers()) await resolver.stop('SIGKILL');
    const [client] = environment.clients;
    if (client === undefined) throw new Error('no cluster');
    const namespace = 'outdated';
    const metadata = { name: namespace, namespace };
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await client.create({ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata, spec: {} });
    const source = { channel: 'stable', source: 'flotilla-samples', sourceNamespace: 'olm' };
    const spec = { ...source, name: 'lighthouse-operator' };
    await client.create({ apiVersion: OLM, kind: 'Subscription', metadata, spec });

    const { hash, problem, solution } = await observed(client.cluster, namespace);
    expect(solution.chosen.map(({ name: of }) => of)).toEqual(['lighthouse-operator.v1.2.0']);
    const records = await recordsOf(problem);
    const outdated = resolve(problem, (of) => {
      const record = records.get(of) ?? { name: '', defaultChannel: '', entries: [] };
      return { ...record, entries: record.entries.filter(({ name: entry }) => entry.endsWith('.v1.0.0')) };
    });
    const before = await refusedOf('solution');
    await store.putSolution(hash, outdated);
    await add('solved', { v: 1, problem: hash });
    await expect.poll(() => refusedOf('solution'), PATIENCE).toBeGreaterThan(before);
    const csvs = async () => {
      const found = await client.list({ apiVersion: OLM, kind: 'ClusterServiceVersion' }, { namespace });
      return found?.items.map((csv) => csv.metadata.name);
    };
    expect(await csvs()).toEqual([]);
    for (const resolver of resolvers()) resolver.start();
    await expect.poll(csvs, { ...PATIENCE, timeout: LONG_PATIENCE_MS }).toEqual(['lighthouse-operator.v1.2.0']);
  });

  async function expectReported(): Promise<void> {
    const health = (await (await fetch(`${await applier().url()}/healthz`)).json()) as {
      details: Record<string, { status: string; detail: string }>;
    };
    expect(health.details['values']?.detail).toMatch(/^\d+ values in Redis were refused since the start/);
    const lines = (await applier().logged()).filter(({ msg }) => String(msg).startsWith('refused values in Redis'));
    expect(new Set(lines.map(({ what }) => what))).toEqual(new Set(['solution', 'observation', 'seen']));
    expect(lines.length).toBeLessThan(30);
    for (const service of environment.services) {
      if (service.service === 'resolver-worker') continue;
      expect((await fetch(`${await service.url()}/livez`)).status, service.name).toBe(200);
    }
  }
});

const fail = (what: string, error: unknown): never => {
  throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
};
