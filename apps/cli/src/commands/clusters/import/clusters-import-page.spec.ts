import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { readGuide } from '../../../../../../test/guide/read-guide.js';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const steps = readGuide(await readFile(join(PROJECT_ROOT, 'docs/clusters-import.md'), 'utf8'));
let folder = '';
let fleet: SimulatedFleet;
/** Files that the commands of the page have written. */
const files = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-import-page-'));
  fleet = await startSimulatedFleet({ clusters: ['hub'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_KUBECONFIG', '');
  vi.stubEnv('FLOTILLA_FLEET', '');
  expect((await runFlotilla(['fleet', 'init', '--context', 'hub'])).exit).toBe(0);
  const hub = fleet.cluster('hub');
  hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  put('shop-1', { bearerToken: 'hush' });
  put('shop-2', { bearerToken: 'hush' });
  put('legacy', { execProviderConfig: { command: 'argocd-k8s-auth', args: ['gcp'] } });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function put(name: string, config: object): void {
  const data = { name, server: `https://${name}.example`, config: JSON.stringify(config) };
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  fleet.cluster('hub').create({
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data: Object.fromEntries(encoded) },
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  } as KubernetesObject);
}

/** Runs `flotilla … > FILE`, and `kubectl apply -f FILE` with such a file. */
async function printed(command: string): Promise<string> {
  const [, line = '', file] = /^(.*?)(?: > (\S+))?$/.exec(command) ?? [];
  const [program, ...words] = line.split(' ');
  if (program === 'kubectl') return applied(words.at(-1) ?? '');
  const { out, err, exit } = await runFlotilla(words);
  expect(exit, `${command}: ${err}`).toBe(0);
  if (file === undefined) return `${out}${err}`;
  files.set(file, out);
  return err;
}

const applied = (file: string): string =>
  loadAll(files.get(file) ?? '')
    .map((object) => {
      const { kind, metadata } = fleet.cluster('hub').create(KubernetesObject.parse(object));
      return `${kind.toLowerCase()}.rbac.authorization.k8s.io/${metadata.name} created\n`;
    })
    .join('');

it('docs/clusters-import.md has commands', () => {
  expect(steps.length).toBeGreaterThanOrEqual(5);
});

it.each(steps)('docs/clusters-import.md, line $line: $command', async ({ command, expected }) => {
  const lines = (await printed(command)).split('\n').filter(Boolean);
  const shown = expected.at(-1) === '…' ? expected.slice(0, -1) : expected;
  expect(shown === expected ? lines : lines.slice(0, shown.length)).toEqual(shown);
});

it('docs/clusters-import.md leads to FleetClusters that refer to the Secrets, without a word of them', () => {
  const hub = fleet.cluster('hub');
  const clusters = hub.list({ apiVersion: FLEET_API, kind: 'FleetCluster' });
  expect(clusters.map(({ metadata, spec }) => [metadata.name, spec])).toEqual(
    ['shop-1', 'shop-2'].map((name) => [
      name,
      expect.objectContaining({ access: { secretRef: { name, namespace: 'argocd', format: 'ArgoCD' } } }),
    ]),
  );
  const source = hub.get({ apiVersion: FLEET_API, kind: 'FleetClusterSource', name: 'argocd' });
  expect(source?.['spec']).toMatchObject({ from: 'ArgoCD', namespace: 'argocd' });
  expect(JSON.stringify([clusters, source])).not.toContain('hush');
});
