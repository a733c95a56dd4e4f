import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { applierLogins } from '#testing/control-plane/applier-logins';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import { GuideNames } from '../guide/guide-names.js';
import { follow } from '../guide/page-shell.js';
import { type GuideStep, readGuide } from '../guide/read-guide.js';
import { reading } from './behind-nat-support/administrator.js';
import { networkNamespaces } from './behind-nat-support/namespaces.js';
import { startTunnelled, type Tunnelled, tunnelBinaries } from './behind-nat-support/tunnelled-clusters.js';

const run = promisify(execFile);
const namespaces = await networkNamespaces();
const kubectl = await programs({ program: 'kubectl' });
const found = namespaces.isThere ? await tunnelBinaries() : { isThere: true, what: '' };
const NAMES = ['store-01', 'store-02'];
const PROGRAM = join(PROJECT_ROOT, 'dist', 'programs', 'flotilla.js');

const page = await readFile(join(PROJECT_ROOT, 'docs/behind-nat.md'), 'utf8');
const [LAST] = readGuide(page, '\n## Take access back\n');
const STEPS = readGuide(page).filter(({ line }) => line < (LAST?.line ?? 0));
const ENDING = readGuide(page, '\n## Take access back\n');
/** On the page: "Do this once". */
const isOnce = ({ command }: GuideStep) => command.includes('create configmap');
const Values = z.looseObject({
  applier: z.looseObject({
    env: z.tuple([z.looseObject({ name: z.literal('NODE_EXTRA_CA_CERTS'), value: z.string() })]),
    volumes: z.tuple([z.looseObject({ configMap: z.looseObject({ name: z.string() }) })]),
    volumeMounts: z.tuple([z.looseObject({ mountPath: z.string() })]),
  }),
});
const Mounted = z.looseObject({ data: z.record(z.string(), z.string()) });
const VALUES = Values.parse(parse(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? ''));

describe('clusters behind NAT, with equal addresses and names', needing(namespaces, kubectl, found), () => {
  let plane: ControlPlane | undefined;
  let tunnelled: Tunnelled;
  let clients: KubeClient[] = [];
  let hub: ChildProcess | undefined;
  let said = '';
  let kubeconfigs: readonly string[] = [];
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
    NODE_EXTRA_CA_CERTS: join(tunnelled.folder, 'mounted', 'ca.crt'),
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
    plane = await startControlPlane();
    const [{ kubeconfigPath } = { kubeconfigPath: '' }] = plane.clusters;
    tunnelled = await startTunnelled(NAMES, found.binaries, kubeconfigPath);
    const asked = { command: 'kubectl create namespace flotilla', expected: [] };
    await follow(tunnelled.shell, new GuideNames(), asked);
    const isThere = NAMES.map((name) => `kubectl get namespace kube-system --context ${name} -o name`);
    for (const command of isThere)
      await follow(tunnelled.shell, new GuideNames(), { command, expected: ['namespace/kube-system'] });
  });
  afterAll(async () => {
    hub?.kill('SIGKILL');
    await Promise.all(clients.map((client) => client.close()));
    await tunnelled?.stop();
    await plane?.stop();
    setDefaultCACertificates(trusted);
  });

  let broken: string | undefined;
  /** Runs a command of the page for a cluster. */
  const followFor = async (name: string, { line, command, expected }: GuideStep, skip: (why: string) => void) => {
    if (broken !== undefined) skip(`${broken} did not come out`);
    broken = `line ${line} for ${name}`;
    const here = { command: tunnelled.toHere(command, name), expected: expected.map((text) => ofCluster(text, name)) };
    await follow(tunnelled.shell, new GuideNames(), here);
    broken = undefined;
  };
  const ofCluster = (text: string, name: string) => text.replaceAll('store-01', name);

  describe.each(NAMES)('docs/behind-nat.md for %s', (name) => {
    it.for(STEPS.filter((step) => name === NAMES[0] || !isOnce(step)))('line $line: $command', (step, { skip }) =>
      followFor(name, step, skip),
    );
  });

  it('both ends of each tunnel start by what these commands made, and the hub has a client', async () => {
    for (const { startTunnel } of tunnelled.clusters) await startTunnel();
    const { env, volumes, volumeMounts } = VALUES.applier;
    const read = reading(tunnelled.shell, 'hub', 'flotilla');
    const { data } = Mounted.parse(await read('configmap', volumes[0].configMap.name));
    const authority = data[relative(volumeMounts[0].mountPath, env[0].value)] ?? '';
    expect(authority).toContain('BEGIN CERTIFICATE');
    await mkdir(join(tunnelled.folder, 'mounted'));
    await writeFile(join(tunnelled.folder, 'mounted', 'ca.crt'), authority);
    setDefaultCACertificates([...trusted, authority]);
    // The contexts get one name, too.
    for (const name of NAMES) {
      const command = `kubectl --kubeconfig ${name}.kubeconfig config rename-context ${name} default`;
      await follow(tunnelled.shell, new GuideNames(), { command, expected: [] });
    }
    kubeconfigs = NAMES.map((name) => join(tunnelled.folder, `${name}.kubeconfig`));
    clients = await Promise.all(kubeconfigs.map(clientOf));
    for (const client of clients)
      await vi.waitFor(() => client.serverVersion(), LONG_PATIENCE).finally(() => tunnelled.check());
  });

  it('has no route to them without the tunnel', async () => {
    for (const { administrator } of tunnelled.clusters) {
      const text = await flotilla('get', 'csvs', '-A', '--kubeconfig', administrator, '--request-timeout', '5s');
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
    const files = (await applierLogins(kubeconfigs, tunnelled.folder)).flatMap((file) => ['--kubeconfig', file]);
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
    const asked = () => flotilla('get', 'csvs', '-A', '--kubeconfig', kubeconfigs[0] ?? '', '--request-timeout', '5s');
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

  it.for(ENDING)('line $line: $command', (step, { skip }) => followFor(NAMES[1] ?? '', step, skip));

  it('the cluster whose access was taken back has no agent, and the hub no server for it', async () => {
    const servers = 'kubectl get deployments -n flotilla --context hub -o name';
    const kept = [`deployment.apps/tunnel-${NAMES[0]}`];
    await follow(tunnelled.shell, new GuideNames(), { command: servers, expected: kept });
    const command = `kubectl get namespace flotilla-tunnel --context ${NAMES[1]} -o jsonpath={.status.phase}`;
    await follow(tunnelled.shell, new GuideNames(), { command, expected: ['Terminating'] });
  });
});
