import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { LONG_PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { networkNamespaces } from './behind-nat-support/namespaces.js';
import {
  authorityOf,
  startTunnelled,
  type Tunnelled,
  tunnelBinaries,
} from './behind-nat-support/tunnelled-clusters.js';

const run = promisify(execFile);
const namespaces = await networkNamespaces();
const found = namespaces.isThere ? await tunnelBinaries() : { isThere: true, what: '' };
const NAMES = ['store-01', 'store-02'];
const PROGRAM = join(PROJECT_ROOT, 'dist', 'programs', 'flotilla.js');

describe('clusters behind NAT, with equal addresses and names', needing(namespaces, found), () => {
  let tunnelled: Tunnelled;
  let clients: KubeClient[] = [];
  let hub: ChildProcess | undefined;
  let said = '';
  const trusted = getCACertificates('default');

  const clientOf = async (kubeconfig: string): Promise<KubeClient> => {
    const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
    if (client === undefined) throw new Error('no client');
    return client;
  };
  const environment = () => ({
    PATH: process.env['PATH'] ?? '',
    HOME: tunnelled.folder,
    FLOTILLA_CONTENT_DIR: join(tunnelled.folder, 'content'),
    FLOTILLA_CATALOG_POLLER_PORT: '0',
    NODE_EXTRA_CA_CERTS: tunnelled.authority,
  });
  const flotilla = (...args: readonly string[]) => {
    const command = tunnelled.atHub(process.execPath, [PROGRAM, ...args]);
    return run(command.binary, command.args, { env: environment() }).then(
      ({ stdout, stderr }) => `${stdout}${stderr}`,
      (error: Error & Readonly<{ stdout?: string; stderr?: string }>) => `${error.stdout}${error.stderr}`,
    );
  };
  /** A CatalogSource of an image that is nowhere: the hub says so in its status. */
  const sourceOf = (name: string, image: string) => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name, namespace: 'default' },
    spec: { sourceType: 'grpc', image },
  });
  const statusOf = async (client: KubeClient | undefined, name: string): Promise<string> => {
    const ref = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', namespace: 'default', name };
    return JSON.stringify((await client?.get(ref))?.['status'] ?? {});
  };

  beforeAll(async () => {
    if (!('binaries' in found) || found.binaries === undefined) return;
    tunnelled = await startTunnelled(NAMES, found.binaries);
    setDefaultCACertificates([...trusted, await authorityOf(tunnelled)]);
    clients = await Promise.all(tunnelled.clusters.map(({ kubeconfig }) => clientOf(kubeconfig)));
    for (const client of clients)
      await vi.waitFor(() => client.serverVersion(), LONG_PATIENCE).finally(() => tunnelled.check());
  });
  afterAll(async () => {
    hub?.kill('SIGKILL');
    await Promise.all(clients.map((client) => client.close()));
    await tunnelled?.stop();
    setDefaultCACertificates(trusted);
  });

  it('has no route to them without the tunnel', async () => {
    for (const { withoutTunnel } of tunnelled.clusters) {
      const text = await flotilla('get', 'csvs', '-A', '--kubeconfig', withoutTunnel, '--request-timeout', '5s');
      expect(text).toMatch(/ENETUNREACH|EHOSTUNREACH|no answer/);
    }
  });

  it('reaches each of them through its own tunnel', async () => {
    const uids = await Promise.all(
      clients.map((client) => client.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' })),
    );
    expect(new Set(uids.map((namespace) => namespace?.metadata.uid)).size).toBe(2);
  });

  it('manages both at once', async () => {
    const files = tunnelled.clusters.flatMap(({ kubeconfig }) => ['--kubeconfig', kubeconfig]);
    const command = tunnelled.atHub(process.execPath, [PROGRAM, 'up', '--no-console', ...files]);
    hub = spawn(command.binary, command.args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [hub.stdout, hub.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    // The hub installs the kinds of OLM; an API server serves a kind a moment after it calls it Established.
    for (const client of clients)
      await expect.poll(() => client.serves(CATALOG_SOURCE_API), { ...LONG_PATIENCE, message: said }).toBe(true);
    for (const [at, client] of clients.entries())
      await client.create(sourceOf('first', `registry.invalid/of-${NAMES[at]}:1`));
    for (const [at, client] of clients.entries())
      await expect.poll(() => statusOf(client, 'first'), LONG_PATIENCE).toContain(`of-${NAMES[at]}:1`);
  });

  it('goes on with one while the tunnel of the other is cut, and with both after it is mended', async () => {
    const [first] = tunnelled.clusters;
    await first?.cut();
    await clients[1]?.create(sourceOf('meanwhile', 'registry.invalid/meanwhile:1'));
    await expect.poll(() => statusOf(clients[1], 'meanwhile'), LONG_PATIENCE).toContain('meanwhile:1');
    const asked = () =>
      flotilla('get', 'csvs', '-A', '--kubeconfig', first?.kubeconfig ?? '', '--request-timeout', '5s');
    await expect.poll(asked, LONG_PATIENCE).toMatch(/the proxy \S+ did not connect us to 10\.96\.77\.1:6443: HTTP 500/);
    first?.mend();
    await expect
      .poll(
        () => clients[0]?.create(sourceOf('after', 'registry.invalid/after:1')).then(() => 'made', String),
        LONG_PATIENCE,
      )
      .toMatch(/made|already exists/);
    await expect.poll(() => statusOf(clients[0], 'after'), LONG_PATIENCE).toContain('after:1');
  });

  it('goes on after the server of a tunnel has restarted', async () => {
    await tunnelled.clusters[1]?.restart();
    const source = sourceOf('again', 'registry.invalid/again:1');
    await expect
      .poll(() => clients[1]?.create(source).then(() => 'made', String), LONG_PATIENCE)
      .toMatch(/made|already exists/);
    await expect.poll(() => statusOf(clients[1], 'again'), LONG_PATIENCE).toContain('again:1');
  });
});
