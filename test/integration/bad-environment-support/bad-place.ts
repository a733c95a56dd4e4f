import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueToken } from '#testing/cluster/issue-token';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { hubKeyFile } from '../../../apps/cli/src/commands/demo/environment/service-process.js';
import { startConfiguredRedis } from '../redis-support/configured-redis.js';
import { type OldRedis, startOldRedis } from './old-redis.js';

/** Everything that may be wrong in an environment on this machine, next to correct parts. */
export type BadPlace = Readonly<{
  /** The environment without a fault. */
  environment: Readonly<Record<string, string>>;
  /** A file of the place. */
  file: (name: string, text: string) => string;
  /** A good kubeconfig, changed. */
  kubeconfig: (change: (text: string) => string) => string;
  /** The same with another address of the API servers. */
  kubeconfigAt: (server: string) => string;
  /** Addresses, without scheme: a server that answers nothing, and one of web pages. */
  silent: string;
  web: string;
  /** Addresses of Redis, without scheme. Password of `default`: SECRET, of `weak`, without rights: weak. */
  redis: string;
  redisCluster: string;
  oldRedis: OldRedis;
  fleet: SimulatedFleet;
  /** The token of an account without rights in the cluster. */
  guest: string;
  stop: () => Promise<void>;
}>;

export async function startBadPlace(): Promise<BadPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bad-place-'));
  const fleet = await startSimulatedFleet({ clusters: ['east'] });
  const silent = createServer((socket) => void socket.on('error', () => undefined));
  const web = createWebServer((_request, response) => void response.end('<html>hello</html>'));
  const client = { password: 'SECRET' };
  const weak = 'user weak on >weak ~* +ping +info +client +select +hello +time +get';
  const redis = await startConfiguredRedis({ lines: ['requirepass SECRET', weak], client });
  const cluster = await startConfiguredRedis({ lines: ['cluster-enabled yes', 'requirepass SECRET'], client });
  const guest = await guestOf(fleet);
  const oldRedis = await startOldRedis(folder);
  let files = 0;
  const file = (name: string, text: string) => {
    const path = join(folder, `${++files}-${name}`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const kubeconfig = (change: (text: string) => string) => file('kubeconfig', change(fleet.kubeconfig()));
  return {
    environment: {
      PATH: '/nowhere',
      HOME: folder,
      FLOTILLA_REDIS_URL: `redis://:SECRET@127.0.0.1:${redis.port}`,
      FLOTILLA_KUBECONFIG: kubeconfig((text) => text),
      FLOTILLA_HUB_KEY_FILE: hubKeyFile(),
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CATALOG_POLLER_PORT: '0',
      FLOTILLA_RESOLVER_WORKER_PORT: '0',
      FLOTILLA_APPLIER_PORT: '0',
    },
    file,
    kubeconfig,
    kubeconfigAt: (server) => kubeconfig((text) => text.replaceAll(/https:\/\/127[^ \n]+/g, server)),
    silent: await listening(silent),
    web: await listening(web),
    redis: `127.0.0.1:${redis.port}`,
    redisCluster: `127.0.0.1:${cluster.port}`,
    oldRedis,
    fleet,
    guest,
    stop: async () => {
      for (const server of [silent, web]) server.close();
      oldRedis.stop();
      web.closeAllConnections();
      await Promise.all([redis.stop(), cluster.stop(), fleet.stop()]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function guestOf(fleet: SimulatedFleet): Promise<string> {
  const east = fleet.cluster('east');
  east.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'guest', namespace: 'default' } });
  return issueToken(east, 'default', 'guest');
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export type FullDisk = Readonly<{ folder: string; remove: () => void }>;

/** Returns a full disk. Returns undefined if this user may mount none. */
export function fullDisk(): FullDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-full-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=2', 'tmpfs', folder], { stdio: 'pipe' });
    mkdirSync(join(folder, 'last'));
  } catch {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    return undefined;
  }
  const remove = () => {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { folder, remove };
}
