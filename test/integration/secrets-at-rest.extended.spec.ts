import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRedis } from '#platform/redis/find-redis';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { putSampleBundles, putSampleCatalog, SAMPLE_CATALOG } from '../../apps/cli/src/demo/sample-images.js';
import { tokenOf } from './up-support/away-cluster.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const OLM = 'operators.coreos.com';
const PREFIX = 'secrets-at-rest';
const PASSWORD = 'PLANTED-pull-password-4711';
const KEY = 'PLANTED-hub-key-0123456789-0123456789-0123456789';

describe('secrets of a hub that has installed from a private catalog', () => {
  let folder = '';
  let fleet: SimulatedFleet;
  let registry: InMemoryRegistry;
  let redis: Awaited<ReturnType<typeof findRedis>>;
  let up: RunningUp | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-at-rest-'));
    fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 20 });
    registry = await startRegistry();
    redis = await findRedis({ log: () => undefined });
  });
  afterAll(async () => {
    await up?.kill();
    await registry?.stop();
    await fleet?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Every value under the hub's prefix, as it is and inflated. */
  async function inRedis(): Promise<string> {
    const client = new Redis(redis.url);
    try {
      const texts: string[] = [];
      for (const key of await client.keys(`${PREFIX}*`)) {
        const dump = (await client.dumpBuffer(key)) ?? Buffer.alloc(0);
        texts.push(key, dump.toString('latin1'));
        const value = await client.getBuffer(key).catch(() => null);
        if (value !== null) texts.push(value.toString('latin1'), inflated(value));
        const fields = await client.hgetall(key).catch(() => ({}));
        texts.push(JSON.stringify(fields));
      }
      return texts.join('\n');
    } finally {
      client.disconnect();
    }
  }

  /** The arguments of the hub's process and of every process that it started. */
  async function argumentsOf(pid: number): Promise<readonly string[]> {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const below = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map((child) => argumentsOf(Number(child))),
    );
    return [await readFile(`/proc/${pid}/cmdline`, 'utf8'), ...below.flat()];
  }

  function inflated(value: Buffer): string {
    try {
      return inflateRawSync(value.subarray(1)).toString();
    } catch {
      return '';
    }
  }

  /** Installs an operator from a catalog image that needs a login. */
  async function installFrom(image: string): Promise<void> {
    const east = fleet.cluster('east');
    for (const name of ['olm', 'lights']) east.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const login = { auths: { [registry.host]: { username: 'hub', password: PASSWORD } } };
    east.create({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'olm' } },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify(login)).toString('base64') },
    });
    east.create({
      ...{ apiVersion: `${OLM}/v1`, kind: 'OperatorGroup', metadata: { name: 'own', namespace: 'lights' } },
      spec: { targetNamespaces: ['lights'] },
    });
    east.create({
      ...{ apiVersion: `${OLM}/v1alpha1`, kind: 'CatalogSource', metadata: { name: 'private', namespace: 'olm' } },
      spec: { sourceType: 'grpc', image, secrets: ['login'] },
    });
    east.create({
      ...{ apiVersion: `${OLM}/v1alpha1`, kind: 'Subscription', metadata: { name: 'lamp', namespace: 'lights' } },
      spec: { name: 'lighthouse-operator', channel: 'stable', source: 'private', sourceNamespace: 'olm' },
    });
    const csv = { apiVersion: `${OLM}/v1alpha1`, kind: 'ClusterServiceVersion', namespace: 'lights' };
    await expect
      .poll(() => JSON.stringify(east.list(csv).map(({ status }) => status)), LONG_PATIENCE)
      .toContain('"phase":"Succeeded"');
  }

  /** The files below a folder, all of which are for their owner alone. */
  async function privateFilesOf(content: string): Promise<readonly string[]> {
    const files = await readdir(content, { recursive: true, withFileTypes: true });
    const paths = files.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
    for (const { entry, path } of paths) {
      const { mode } = await stat(path);
      expect((mode & 0o777).toString(8), path).toBe(entry.isDirectory() ? '700' : '600');
    }
    return await Promise.all(paths.filter(({ entry }) => entry.isFile()).map(({ path }) => readFile(path, 'latin1')));
  }

  it('are nowhere but in their files; what it keeps on disk is for its owner alone', async () => {
    await putSampleBundles('examples', registry.put);
    const image = `${registry.host}/${SAMPLE_CATALOG}`;
    await putSampleCatalog('examples', 'v1', registry, SAMPLE_CATALOG);
    registry.requireAuth({ username: 'hub', password: PASSWORD });
    const kubeconfig = join(folder, 'kubeconfig');
    const text = fleet.kubeconfig();
    await writeFile(kubeconfig, text, { mode: 0o600 });
    const hubKey = join(folder, 'hub.key');
    await writeFile(hubKey, `${KEY}\n`, { mode: 0o600 });
    const content = join(folder, 'content');
    up = runUp(['--kubeconfig', kubeconfig], {
      REDIS_URL: redis.url,
      FLOTILLA_REDIS_PREFIX: PREFIX,
      FLOTILLA_CONTENT_DIR: content,
      FLOTILLA_HUB_KEY_FILE: hubKey,
      FLOTILLA_LOG_LEVEL: 'debug',
    });
    await up.running();
    const url = /Health (\S+)\/healthz/.exec(up.said.out)?.[1] ?? '';

    const east = fleet.cluster('east');
    await installFrom(image);

    const onDisk = await privateFilesOf(content);
    const api = (path: string) => fetch(`${url}${path}`).then((answer) => answer.text());
    const kinds = ['CatalogSource', 'Subscription', 'InstallPlan', 'ClusterServiceVersion'];
    const places: Readonly<Record<string, string>> = {
      arguments: (await argumentsOf(up.pid)).join('\n'),
      redis: await inRedis(),
      disk: onDisk.join('\n'),
      'output and log': `${up.said.out}\n${up.said.err}`,
      metrics: await api('/metrics'),
      health: await api('/healthz'),
      'package manifests': await api('/clusters/east/apis/packages.operators.coreos.com/v1/packagemanifests'),
      objects: JSON.stringify(kinds.map((kind) => east.list({ apiVersion: `${OLM}/v1alpha1`, kind }))),
      events: JSON.stringify(east.list({ apiVersion: 'v1', kind: 'Event' })),
    };
    expect(places['arguments'], 'those of the hub').toContain(kubeconfig);
    expect(places['redis'], 'the hub uses this Redis').toContain('lighthouse-operator');
    const redisPassword = new URL(redis.url).password;
    const secrets: Readonly<Record<string, string>> = {
      'pull password': PASSWORD,
      'pull login': Buffer.from(`hub:${PASSWORD}`).toString('base64'),
      'registry token': registry.token,
      'token of the cluster': tokenOf(text),
      'key of the hub': KEY,
      ...(redisPassword === '' ? {} : { 'password of Redis': redisPassword }),
    };
    const found = Object.entries(places).flatMap(([place, held]) =>
      Object.entries(secrets).flatMap(([name, secret]) =>
        secret !== '' && held.includes(secret) ? [`${name} in ${place}`] : [],
      ),
    );
    expect(found).toEqual([]);
  });
});
