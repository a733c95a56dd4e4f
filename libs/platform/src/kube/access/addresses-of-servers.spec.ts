import { describe, expect, it } from 'vitest';
import type { ClusterAccess } from './kubeconfig.js';
import { loadClusters } from './load-clusters.js';

describe('a proxy that is named beside a server', () => {
  const policy = { addresses: ['public', 'private'], registryHosts: [], grpcHosts: [] } as const;
  const ask = async (more: Partial<ClusterAccess>) => {
    const cluster = { server: 'https://store-01.example', 'proxy-url': 'http://127.0.0.1:1' };
    const access = { context: 'c', file: 'f', cluster, user: {}, ...more };
    const [client] = await loadClusters({ access: [access], fieldManager: 'test', policy });
    try {
      return await client?.serverVersion();
    } catch (error) {
      return String(error);
    } finally {
      await client?.close();
    }
  };

  it('in a Secret is reached where the hub allows it, and in a kubeconfig of the hub anywhere', async () => {
    expect(await ask({ isInKubeconfig: false })).toContain('proxy-url: address of 127.0.0.1 is not allowed by the hub');
    expect(await ask({})).toContain('ECONNREFUSED');
  });
});

describe('a server that a Secret names', () => {
  const ask = async (server: string, more: Partial<ClusterAccess> = {}) => {
    const access = { context: 'c', file: 'f', cluster: { server }, user: {}, isInKubeconfig: false, ...more };
    const [client] = await loadClusters({ access: [access], fieldManager: 'test' });
    try {
      return await client?.serverVersion();
    } catch (error) {
      return String(error);
    } finally {
      await client?.close();
    }
  };

  it.each(['https://169.254.169.254', 'https://[fe80::1]:6443', '0.0.0.0:6443', 'https://[::ffff:a9fe:a9fe]'])(
    'gets no connection at %s, and says so without the name of what is there',
    async (server) => {
      expect(await ask(server)).toContain('its server has a link-local or metadata address');
    },
  );

  it.each(['https://169.254.169.254', 'https://[fe80::1]:6443'])('gets none through a proxy at %s', async (server) => {
    const cluster = { server, 'proxy-url': 'http://127.0.0.1:1' };
    expect(await ask(server, { cluster })).toContain('its server has a link-local or metadata address');
  });

  it('is reached on this machine and in private networks', async () => {
    for (const server of ['https://127.0.0.1:1', 'https://localhost:1', 'https://[::1]:1'])
      expect(await ask(server)).toMatch(/ECONNREFUSED|EADDRNOTAVAIL/);
  });
});
