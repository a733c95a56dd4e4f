import { existsSync } from 'node:fs';
import type { LocalRedis } from './local-redis.js';

const IMAGE = 'redis:7.4-alpine';
const PORT = 6379;

/** Why Docker is of no use here, or undefined when it may be. Asked before the costly import. */
export function whyNoDocker(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const socket = '/var/run/docker.sock';
  return env['DOCKER_HOST'] || existsSync(socket) ? undefined : `no Docker engine (no DOCKER_HOST, no ${socket})`;
}

/** Runs Redis in a container; its reaper removes the container when this process is gone. */
export async function startDockerRedis(): Promise<LocalRedis> {
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer(IMAGE)
    .withCommand(['redis-server', '--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(PORT)
    .start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(PORT)}`,
    stop: async () => {
      await container.stop();
    },
  };
}
