import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type KillableRedis, startLocalRedis } from '#platform/redis/local/local-redis';
import { freePorts } from '#testing/control-plane/free-ports';
import { pause } from '#testing/patience';

/** A Redis that a test may kill: it comes back at the same address with nothing in it. */
export type RestartableRedis = Readonly<{
  url: string;
  how: string;
  crash(awayMs: number): Promise<void>;
  stop(): Promise<void>;
}>;

const SERVERS = ['redis-server', 'valkey-server'];

/** @throws if no server is on PATH: these tests could not kill one in a container */
export async function startRestartableRedis(): Promise<RestartableRedis> {
  const binary = SERVERS.map(onPath).find((path) => path !== undefined);
  if (binary === undefined) throw new Error(`these tests need ${SERVERS.join(' or ')} on PATH`);
  const [port = 0] = await freePorts(1);
  const place = { port, password: randomBytes(18).toString('base64url') };
  let server: KillableRedis = await startLocalRedis(binary, place);
  return {
    url: server.url,
    how: binary,
    crash: async (awayMs) => {
      await server.kill();
      await pause(awayMs);
      server = await startLocalRedis(binary, place);
    },
    stop: () => server.stop(),
  };
}

function onPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
