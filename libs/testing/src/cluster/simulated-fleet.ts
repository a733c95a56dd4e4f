import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { HttpsServer } from './https-server.js';
import { servingCertificate } from './server/certificates.js';
import { SimulatedCluster } from './simulated-cluster.js';

export type SimulatedFleetOptions = Readonly<{
  clusters: readonly string[];
  /** gitVersion of every cluster; default v1.34.4. */
  version?: string;
  /** How long a Deployment takes from a new spec to Available; default 50 ms. */
  deploymentReadyAfterMs?: number;
  /** Default: a free one. */
  port?: number;
  /**
   * Interval of the bookmarks of watches, if something has happened. Default 1 s, so that tests need not
   * wait; kube-apiserver sends one a minute.
   */
  bookmarkEveryMs?: number;
  /**
   * Number of kept changes of each resource: a watch can begin with any of them. Default 256; fewer take less
   * memory.
   */
  keptChanges?: number;
}>;

/** Kubernetes API servers of many clusters in this process, behind TLS on one loopback port. */
export interface SimulatedFleet {
  /** A kubeconfig with one context per cluster, named like it. */
  kubeconfig(): string;
  cluster(name: string): SimulatedCluster;
  /** Makes the server's certificate expired or valid, for connections that are opened from now on. */
  expireCertificate(expired: boolean): void;
  /** A client certificate that the authority has signed is that of an administrator of every cluster. */
  trustClients(authorityPem: string): void;
  stop(): Promise<void>;
}

export async function startSimulatedFleet(options: SimulatedFleetOptions): Promise<SimulatedFleet> {
  const { version = 'v1.34.4', deploymentReadyAfterMs = 50, bookmarkEveryMs = 1000, keptChanges } = options;
  const certificate = await servingCertificate();
  const clusters = new Map<string, SimulatedCluster>();
  const server = new HttpsServer(certificate, (name) => clusters.get(name));
  const port = await server.listen(options.port ?? 0);
  for (const name of options.clusters) {
    const url = `https://127.0.0.1:${port}/clusters/${name}`;
    const token = randomBytes(24).toString('base64url');
    const settings = { version, deploymentReadyAfterMs, authorityPem: certificate.caPem, keptChanges };
    clusters.set(name, new SimulatedCluster(name, url, token, settings, () => server.drop(name)));
  }
  const bookmarks = setInterval(() => {
    for (const cluster of clusters.values()) cluster.bookmarkWatches();
  }, bookmarkEveryMs);
  return {
    kubeconfig: () => kubeconfig([...clusters.values()], certificate.caPem),
    cluster: (name) => {
      const found = clusters.get(name);
      if (found === undefined) throw new RangeError(`the simulated fleet has no cluster "${name}"`);
      return found;
    },
    expireCertificate: (expired) => {
      const { certPem, expiredPem, keyPem } = certificate;
      server.useCertificate({ certPem: expired ? expiredPem : certPem, keyPem });
    },
    trustClients: (authorityPem) => server.trustClients(authorityPem),
    stop: async () => {
      clearInterval(bookmarks);
      for (const cluster of clusters.values()) cluster.stop();
      await server.close();
    },
  };
}

function kubeconfig(clusters: readonly SimulatedCluster[], caPem: string): string {
  const authority = Buffer.from(caPem).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: clusters.map(({ name, url }) => ({
      name,
      cluster: { server: url, 'certificate-authority-data': authority },
    })),
    users: clusters.map(({ name, token }) => ({ name, user: { token } })),
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    'current-context': clusters[0]?.name ?? '',
  });
}
