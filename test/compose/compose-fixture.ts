import { chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { freePorts } from '#testing/control-plane/free-ports';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { type BaseImages, baseImages } from '#testing/docker-engine/base-images';
import { buildAccess } from '#testing/docker-engine/build-access';
import { type DockerEngine, docker } from '#testing/docker-engine/docker-command';
import { dockerFolder, findEngine } from '#testing/docker-engine/find-engine';
import { startRegistry } from '#testing/registry/in-memory-registry';
import type {
  EnvironmentRegistry,
  ServicesEnvironment,
} from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { ComposeStack } from './compose-stack.js';

const IMAGE = 'flotilla:compose-test';
/** The user of the image. */
const USER = 1000;

const Cluster = z.looseObject({ server: z.string(), 'certificate-authority-data': z.string() });
const Kubeconfig = z.looseObject({
  clusters: z.tuple([z.looseObject({ cluster: Cluster })]),
  users: z.tuple([z.looseObject({ user: z.looseObject({}) })]),
});

/** A cluster as containers reach it: port of this machine and login. */
export type ClusterEntry = Readonly<{
  name: string;
  port: number;
  authority: string;
  user: Readonly<Record<string, unknown>>;
}>;

/**
 * An engine, its base images, clusters and a registry that containers reach, and a stack that is not started
 * yet.
 */
export type ComposeFixture = Readonly<{
  engine: DockerEngine;
  images: BaseImages;
  stack: ComposeStack;
  /** The folder with the kubeconfig. */
  folder: string;
  /** Address of this machine on the containers' networks. */
  gateway: string;
  clients: readonly KubeClient[];
  registry: EnvironmentRegistry;
  /** Opens a port for containers to this cluster, and returns it with its login. */
  open(index: number): Promise<Readonly<{ entry: ClusterEntry; proxy: TcpProxy }>>;
  /** Replaces the kubeconfig, as an editor does. */
  writeKubeconfig(entries: readonly ClusterEntry[]): Promise<void>;
  /** For the demo's story; its services are those of the stack. */
  environmentOf(...indexes: readonly number[]): ServicesEnvironment;
  stop(): Promise<void>;
}>;

type Endings = (() => Promise<unknown>)[];

/** A string: in one line why it cannot run here. */
export async function startComposeFixture(): Promise<ComposeFixture | string> {
  const search = { environment: process.env, log: (line: string) => console.log(line) };
  const engine = await findEngine(search);
  if (typeof engine === 'string') return engine;
  const endings: Endings = [() => engine.stop()];
  try {
    const images = await baseImages(engine, dockerFolder(process.env), search);
    if (typeof images === 'string') {
      await end(endings);
      return images;
    }
    console.log(`${engine.describe}; ${images.describe}`);
    return await start(engine, images, endings);
  } catch (error) {
    await end(endings);
    throw error;
  }
}

const end = async (endings: Endings): Promise<void> => {
  for (const one of endings.splice(0).reverse()) await one();
};

async function start(engine: DockerEngine, images: BaseImages, endings: Endings): Promise<ComposeFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-compose-'));
  endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const kubeconfigs = join(folder, 'kubeconfig');
  await mkdir(kubeconfigs, { mode: 0o755 });
  const gateway = await gatewayOf(engine);
  const controlPlane = await startControlPlane({ clusters: 2, log: console.log });
  endings.push(() => controlPlane.stop());
  const files = controlPlane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
  const clients = await loadClusters({ kubeconfigs: files, fieldManager: 'compose-test' });
  endings.push(() => Promise.all(clients.map((client) => client.close())));
  const registry = await registryAt(gateway, endings);
  const settings = await settingsOf(folder, images, registry.host);
  const stack = new ComposeStack(engine, `flotilla-${folder.slice(-6).toLowerCase()}`, settings, PROJECT_ROOT);
  endings.push(() => stack.compose('down', '--volumes', '--timeout', '5'));
  return {
    ...{ engine, images, stack, gateway, clients, registry, folder: kubeconfigs },
    open: (index) => openCluster(controlPlane, index, gateway, endings),
    writeKubeconfig: (entries) => writeKubeconfig(kubeconfigs, entries),
    environmentOf: (...indexes) => ({
      ...{ registry, redisPrefix: '', services: [], kubeconfigs: [], applierKubeconfigs: [], simulated: false },
      clients: indexes.flatMap((index) => clients[index] ?? []),
      redis: { url: '', how: 'the stack' },
      workWaits: 'in Redis: the stack',
      stop: () => Promise.resolve(),
    }),
    stop: () => end(endings),
  };
}

async function gatewayOf(engine: DockerEngine): Promise<string> {
  const format = '{{range .IPAM.Config}}{{.Gateway}} {{end}}';
  const [address = ''] = (await docker(engine, ['network', 'inspect', 'bridge', '--format', format])).trim().split(' ');
  if (address !== '') return address;
  throw new Error('the network `bridge` of the engine has no gateway, so that containers cannot reach this machine');
}

async function registryAt(gateway: string, endings: Endings): Promise<EnvironmentRegistry> {
  const { host, put, stop } = await startRegistry();
  endings.push(() => stop());
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(host.split(':')[1]) }, undefined, gateway);
  endings.push(() => proxy.stop());
  return { host: `${gateway}:${proxy.port}`, put };
}

async function settingsOf(folder: string, images: BaseImages, registry: string): Promise<Record<string, string>> {
  const [poller = 0, applier = 0, console = 0] = await freePorts(3);
  return {
    ...(await buildAccess(process.env, folder)),
    FLOTILLA_IMAGE: IMAGE,
    FLOTILLA_NODE_IMAGE: images.node,
    FLOTILLA_REDIS_IMAGE: images.redis,
    FLOTILLA_KUBECONFIG_DIR: join(folder, 'kubeconfig'),
    FLOTILLA_CATALOG_POLLER_PORT: String(poller),
    FLOTILLA_APPLIER_PORT: String(applier),
    FLOTILLA_CONSOLE_PORT: String(console),
    FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS: registry,
  };
}

async function openCluster(controlPlane: ControlPlane, index: number, gateway: string, endings: Endings) {
  const { name, kubeconfig } = controlPlane.clusters[index] ?? { name: '', kubeconfig: '' };
  const { clusters, users } = Kubeconfig.parse(parse(kubeconfig));
  const { hostname, port } = new URL(clusters[0].cluster.server);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) }, undefined, gateway);
  endings.push(() => proxy.stop());
  const authority = clusters[0].cluster['certificate-authority-data'];
  return { entry: { name, port: proxy.port, authority, user: users[0].user }, proxy };
}

/**
 * The certificates of the API servers are for `localhost`, not for the name by which containers reach this
 * machine.
 */
async function writeKubeconfig(folder: string, entries: readonly ClusterEntry[]): Promise<void> {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entries[0]?.name,
    contexts: entries.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    clusters: entries.map(({ name, port, authority }) => ({
      name,
      cluster: {
        server: `https://host.docker.internal:${port}`,
        'tls-server-name': 'localhost',
        'certificate-authority-data': authority,
      },
    })),
    users: entries.map(({ name, user }) => ({ name, user })),
  };
  await replaceFile(join(folder, 'config'), JSON.stringify(kubeconfig));
}

/**
 * Makes a file readable for the user of the image alone. If this process cannot give files away, all users of
 * this machine can read it.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const own = process.getuid?.() === 0;
  await writeFile(`${path}.new`, text, { mode: own ? 0o400 : 0o444 });
  if (own) await chown(`${path}.new`, USER, USER);
  await rename(`${path}.new`, path);
}
