import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRedis } from '#platform/redis/local/find-redis';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import {
  putSampleBundles,
  putSampleCatalog,
  SAMPLE_CATALOG,
} from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { tokenOf } from './up-support/away-cluster.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const OLM = 'operators.coreos.com';
const PREFIX = 'secrets-at-rest';
const PASSWORD = 'PLANTED-pull-password-4711';
/** A user's value in an object, in the wrong place. */
const SETTING = 'PLANTED-database-password-4712';
const KEY = 'PLANTED-hub-key-0123456789-0123456789-0123456789';

const SETTINGS = { FLOTILLA_REDIS_PREFIX: PREFIX, FLOTILLA_LOG_LEVEL: 'debug', FLOTILLA_CONSOLE_PORT: '0' };
const CONSOLE_LISTS = [
  'fleet',
  'hub',
  'operators',
  'changes',
  'plan-classes',
  'clusters',
  'plans',
  'catalogs',
  'packages',
  'causes',
].map((list) => `/${list}`);

type Texts = Readonly<Record<string, string>>;

/** Returns the places of each secret. */
const foundIn = (places: Texts, secrets: Texts): readonly string[] =>
  Object.entries(places).flatMap(([place, held]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      secret !== '' && held.includes(secret) ? [`${name} in ${place}`] : [],
    ),
  );

describe('secrets of a hub that has installed from a private catalog', () => {
  let folder = '';
  let fleet: SimulatedFleet;
  let registry: InMemoryRegistry;
  let redis: Awaited<ReturnType<typeof findRedis>>;
  let up: RunningUp | undefined;
  /** A collector of traces, and the requests that it got. */
  let collector: Server;
  let traces = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-at-rest-'));
    fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 20 });
    registry = await startRegistry();
    redis = await findRedis({ log: () => undefined });
    collector = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        traces +=
          request.headers['content-encoding'] === 'gzip'
            ? gunzipSync(body).toString('latin1')
            : body.toString('latin1');
        response.end('{}');
      });
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });
  afterAll(async () => {
    await up?.kill();
    collector?.close();
    await registry?.stop();
    await fleet?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
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
      spec: {
        ...{ name: 'lighthouse-operator', channel: 'stable', source: 'private', sourceNamespace: 'olm' },
        config: { env: [{ name: 'DB_PASSWORD', value: SETTING }] },
      },
    });
    const csv = { apiVersion: `${OLM}/v1alpha1`, kind: 'ClusterServiceVersion', namespace: 'lights' };
    await expect
      .poll(() => JSON.stringify(east.list(csv).map(({ status }) => status)), LONG_PATIENCE)
      .toContain('"phase":"Succeeded"');
  }

  /** Expects the value only in places of users who may read the object, and in objects made from it. */
  function expectSettingOnlyIn(place: string, places: Texts): void {
    expect(Object.keys(places).filter((name) => places[name]?.includes(SETTING))).toEqual([place]);
  }

  /** Returns the console's answers to a holder of its key: all lists, and questions to clusters. */
  async function shownByConsole(said: string, keyFile: string): Promise<string> {
    const [origin = ''] = /(?<=Console )https?:\/\/[^/\s#]+/.exec(said) ?? [];
    const headers = {
      authorization: `Bearer ${(await readFile(keyFile, 'utf8')).trim()}`,
      'content-type': 'application/json',
    };
    const about = { cluster: 'east', kind: 'Subscription', namespace: 'lights', name: 'lamp' };
    const answers = await Promise.all([
      ...CONSOLE_LISTS.map((path) => fetch(`${origin}/api/v1${path}`, { headers })),
      ...['object', 'whole-object', 'events', 'explain'].map((ask) =>
        fetch(`${origin}/api/v1/questions/${ask}`, { method: 'POST', headers, body: JSON.stringify(about) }),
      ),
    ]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const [object = ''] = texts.slice(CONSOLE_LISTS.length);
    expect(object, 'the object is shown, without what is secret').toContain('DB_PASSWORD');
    return texts.join('\n');
  }

  /** Returns the files below a folder. All of them must be readable for their owner alone. */
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
    const [audit, consoleKey] = [join(folder, 'audit.jsonl'), join(folder, 'console-key')];
    up = runUp(['--kubeconfig', kubeconfig], {
      REDIS_URL: redis.url,
      FLOTILLA_CONTENT_DIR: content,
      FLOTILLA_HUB_KEY_FILE: hubKey,
      FLOTILLA_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      FLOTILLA_CONSOLE_AUDIT_FILE: audit,
      FLOTILLA_CONSOLE_KEY_FILE: consoleKey,
      ...SETTINGS,
    });
    await up.running();
    const url = /Health (\S+)\/healthz/.exec(up.said.out)?.[1] ?? '';

    const east = fleet.cluster('east');
    await installFrom(image);

    const shown = await shownByConsole(up.said.out, consoleKey);
    await expect.poll(() => traces, LONG_PATIENCE).toContain('lights');
    const onDisk = await privateFilesOf(content);
    const api = (path: string) => fetch(`${url}${path}`).then((answer) => answer.text());
    const kinds = ['CatalogSource', 'Subscription', 'InstallPlan', 'ClusterServiceVersion'];
    const places: Texts = {
      arguments: (await argumentsOf(up.pid)).join('\n'),
      redis: await inRedis(),
      disk: onDisk.join('\n'),
      console: shown,
      'audit log': await readFile(audit, 'utf8'),
      traces,
      // The link to the console has its key; the user of this terminal opens it.
      'output and log': `${up.said.out.replace(/^Console .*$/m, '')}\n${up.said.err}`,
      metrics: await api('/metrics'),
      health: await api('/healthz'),
      'package manifests': await api('/clusters/east/apis/packages.operators.coreos.com/v1/packagemanifests'),
      objects: JSON.stringify(kinds.map((kind) => east.list({ apiVersion: `${OLM}/v1alpha1`, kind }))),
      events: JSON.stringify(east.list({ apiVersion: 'v1', kind: 'Event' })),
    };
    expect(places['arguments'], 'those of the hub').toContain(kubeconfig);
    expect(places['redis'], 'the hub uses this Redis').toContain('lighthouse-operator');
    const redisPassword = new URL(redis.url).password;
    const secrets: Texts = {
      'pull password': PASSWORD,
      'pull login': Buffer.from(`hub:${PASSWORD}`).toString('base64'),
      'registry token': registry.token,
      'token of the cluster': tokenOf(text),
      'key of the hub': KEY,
      'key of the console': (await readFile(consoleKey, 'utf8')).trim(),
      ...(redisPassword === '' ? {} : { 'password of Redis': redisPassword }),
    };
    expect(foundIn(places, secrets)).toEqual([]);
    expectSettingOnlyIn('objects', places);
  });
});
