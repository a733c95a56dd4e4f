import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '#platform/config/setting';
import { LONG_PATIENCE_MS } from '../patience.js';
import { KUBERNETES_VERSION } from './binaries.js';
import type { ControlPlane, ControlPlaneCluster } from './control-plane.js';

const IMAGE = `rancher/k3s:v${KUBERNETES_VERSION}-k3s1`;
const PORT = 6443;

/**
 * Returns the reason that Docker cannot be used here, or undefined if it may be usable. Called before the
 * costly import.
 */
export function whyNoDocker(environment: Environment): string | undefined {
  const socket = '/var/run/docker.sock';
  return environment['DOCKER_HOST'] || existsSync(socket)
    ? undefined
    : `no Docker engine (no DOCKER_HOST, no ${socket}), so no K3s container`;
}

/** K3s in containers, one for each cluster; testcontainers' reaper removes them when this process is gone. */
export async function startK3s(count: number): Promise<ControlPlane> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-k3s-'));
  const stops: Array<() => Promise<unknown>> = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async () => {
    await Promise.all(stops.map((end) => end()));
  };
  const start = async (name: string): Promise<ControlPlaneCluster> => {
    const container = await new GenericContainer(IMAGE)
      .withPrivilegedMode()
      .withExposedPorts(PORT)
      .withTmpFs({ '/run': 'rw', '/var/run': 'rw' })
      .withCommand(['server', '--disable=traefik,servicelb,metrics-server', '--tls-san=127.0.0.1,localhost'])
      .withWaitStrategy(Wait.forLogMessage(/Node controller sync successful/))
      .withStartupTimeout(LONG_PATIENCE_MS)
      .start();
    stops.push(() => container.stop());
    const { output } = await container.exec(['cat', '/etc/rancher/k3s/k3s.yaml']);
    const address = `${container.getHost()}:${container.getMappedPort(PORT)}`;
    const kubeconfig = output.replaceAll(`127.0.0.1:${PORT}`, address);
    const kubeconfigPath = join(folder, `${name}.kubeconfig`);
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
    return { name, kubeconfigPath, kubeconfig };
  };
  try {
    const names = Array.from({ length: count }, (_, index) => `cluster-${index + 1}`);
    return { clusters: await Promise.all(names.map(start)), describe: `${IMAGE} in Docker`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
