import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { startTcpProxy } from '#testing/control-plane/tcp-proxy';

/** A cluster as the contract needs it. */
export type ContractCluster = Readonly<{
  client: KubeClient;
  /** Reaches the same API server undisturbed. */
  direct: KubeClient;
  /** Breaks the network under the client's connections. */
  disconnect(): void;
  /**
   * Makes the server forget old resourceVersions, unless it forgets by itself those from before a kind
   * existed.
   */
  expire?: () => void;
  stop(): Promise<void>;
}>;

/** Small pages, so that lists of a few objects have several. */
const PAGE_SIZE = 3;

/** A client of the kubeconfig's current context, with a TCP proxy between it and the API server. */
export async function clusterBehindProxy(kubeconfig: string): Promise<ContractCluster> {
  const parsed = parseKubeconfig('contract', kubeconfig);
  const name = parsed.currentContext ?? '';
  const { cluster, user } = parsed.access(name);
  const server = new URL(cluster.server);
  const host = server.hostname;
  const proxy = await startTcpProxy({ host, port: Number(server.port || 443) });
  server.host = `127.0.0.1:${proxy.port}`;
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-contract-'));
  const file = join(folder, 'kubeconfig');
  const proxied = {
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      { name, cluster: { ...cluster, server: server.href, 'tls-server-name': cluster['tls-server-name'] ?? host } },
    ],
    users: [{ name, user }],
  };
  const straight = `${file}-direct`;
  await writeFile(file, JSON.stringify(proxied), { mode: 0o600 });
  await writeFile(straight, kubeconfig, { mode: 0o600 });
  const options = { fieldManager: 'contract', pageSize: PAGE_SIZE, contexts: [name] };
  const [client] = await loadClusters({ ...options, kubeconfigs: [file] });
  const [direct] = await loadClusters({ ...options, kubeconfigs: [straight] });
  if (client === undefined || direct === undefined) throw new Error('the kubeconfig has no context');
  return {
    client,
    direct,
    disconnect: proxy.cut,
    stop: async () => {
      await client.close();
      await direct.close();
      await proxy.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
