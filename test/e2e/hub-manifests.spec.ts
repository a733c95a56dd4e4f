import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import { createIgnoringExisting } from '../../apps/cli/src/commands/demo/environment/create-object.js';
import { foreignDefinitions } from '../guide/foreign-kinds.js';
import { kustomizedWith } from '../rules/kustomized-with.js';

const kubectl = await programs({ program: 'kubectl' });
const helm = await programs({ program: 'helm' });

const NAMESPACE = 'flotilla';
/** Helm and kubectl read YAML 1.1: 0440 is octal there. */
const OF_GO = { version: '1.1' } as const;
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'hub-key': ['key'],
  'redis-passwords': ['poller', 'resolver', 'applier', 'console', 'notifier'],
  console: ['key'],
  'catalog-poller-kubeconfig': ['config'],
  'applier-kubeconfig': ['config'],
  'flotilla-redis': ['url'],
  ...Object.fromEntries(
    ['catalog-poller', 'applier', 'resolver-worker'].map((name) => [`${name}-tls`, ['tls.crt', 'tls.key', 'ca.crt']]),
  ),
};

const PERIOD = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

type Deployment = KubernetesObject & {
  spec: Readonly<{ replicas?: number }>;
  status?: Readonly<{ availableReplicas?: number; updatedReplicas?: number; observedGeneration?: number }>;
};

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text, OF_GO).flatMap((document) => {
    const object = document.toJS();
    return object === null ? [] : [KubernetesObject.parse(object)];
  });

describe('the hub’s manifests on a real API server, with Pod Security "restricted" enforced', needing(kubectl), () => {
  let controlPlane: ControlPlane | undefined;
  let client: KubeClient;
  let kubeconfigPath = '';

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    [{ kubeconfigPath } = { kubeconfigPath: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'kubectl' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    client = loaded;
    for (const definition of foreignDefinitions()) await createIgnoringExisting(client, definition);
    await apply(objectsOf(run('kubectl', 'kustomize', 'k8s/base')).filter(({ kind }) => kind === 'Namespace'));
    await makeSecrets(NAMESPACE);
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  async function makeSecrets(namespace: string): Promise<void> {
    for (const [name, keys] of Object.entries(SECRETS)) {
      const stringData = Object.fromEntries(keys.map((key) => [key, 'x']));
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
      await createIgnoringExisting(client, secret as KubernetesObject);
    }
  }

  /** Applies objects. Returns the warnings of the API server. */
  async function apply(objects: readonly KubernetesObject[]): Promise<string[]> {
    const warnings: string[] = [];
    for (const object of objects) warnings.push(...(await client.apply(object)).warnings);
    return warnings;
  }

  /** Once all of its pods are available, as many as are wanted. */
  async function available(name: string, namespace = NAMESPACE): Promise<number> {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace };
    const state = async () => {
      const { spec, status, metadata } = (await client.get<Deployment>(ref)) ?? { spec: {}, metadata: {} };
      const isNew = status?.observedGeneration === metadata.generation;
      return isNew && status?.updatedReplicas === spec.replicas && status?.availableReplicas === spec.replicas;
    };
    await expect.poll(state, { ...PATIENCE, message: `${name}: ${JSON.stringify(await failures())}` }).toBe(true);
    return (await client.get<Deployment>(ref))?.spec.replicas ?? 0;
  }

  /** Returns the reasons why pods were not made. */
  async function failures(): Promise<unknown[]> {
    const events = await client.list({ apiVersion: 'v1', kind: 'Event' }, { namespace: NAMESPACE });
    return (events?.items ?? []).filter(({ reason }) => reason === 'FailedCreate').map(({ message }) => message);
  }

  const rows = [
    ...[
      'base',
      ...['redis-external', 'monitoring', 'keda', 'hpa', 'hub-kind', 'self-managed'].map((one) => `overlays/${one}`),
    ].map((folder) => ({
      what: `k8s/${folder}`,
      needs: [kubectl],
      render: () => run('kubectl', 'kustomize', `k8s/${folder}`),
    })),
    ...['console', 'fleet', 'http-tls', 'notifications', 'token-review', 'tracing'].map((one) => ({
      what: `k8s/components/${one}`,
      needs: [kubectl],
      render: () => kustomizedWith(['k8s/base'], [`k8s/components/${one}`]),
    })),
    {
      what: 'k8s/components/service-monitor',
      needs: [kubectl],
      render: () => kustomizedWith(['k8s/overlays/monitoring'], ['k8s/components/service-monitor']),
    },
    ...['everything', 'console-ingress'].map((values) => ({
      what: `charts/flotilla with ci/${values}-values.yaml`,
      needs: [kubectl, helm],
      render: () => {
        const args = ['--namespace', NAMESPACE, '--values', `charts/flotilla/ci/${values}-values.yaml`, '--no-hooks'];
        return run('helm', 'template', 'hub', 'charts/flotilla', '--kube-version', '1.34.0', ...args);
      },
    })),
  ];
  for (const { what, needs, render } of rows) {
    it(`${what} is accepted without a warning, and its pods are made`, needing(...needs), async () => {
      const objects = objectsOf(render());
      expect(await apply(objects)).toEqual([]);
      const names = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name ?? '');
      expect(names.length).toBeGreaterThanOrEqual(3);
      for (const name of names) expect(await available(name), name).toBeGreaterThanOrEqual(1);
      expect(await failures()).toEqual([]);
    });
  }

  it(
    'Helm keeps what a release of chart 0.2.0 has at an upgrade, and new releases stand beside each other',
    needing(kubectl, helm),
    async () => {
      const namespace = 'releases';
      const helmRun = (...args: string[]) =>
        run('helm', ...args, '--namespace', namespace, '--kubeconfig', kubeconfigPath);
      const old = mkdtempSync(join(tmpdir(), 'flotilla-chart-'));
      try {
        mkdirSync(join(old, 'templates'));
        writeFileSync(join(old, 'Chart.yaml'), 'apiVersion: v2\nname: flotilla\nversion: 0.2.0\n');
        const objects = readFileSync(join(PROJECT_ROOT, 'test/rules/chart-0.2.0.yaml'), 'utf8');
        const here = objects.replaceAll('namespace: flotilla', 'namespace: {{ .Release.Namespace }}');
        writeFileSync(join(old, 'templates/all.yaml'), here);
        helmRun('install', 'hub', old, '--create-namespace');
        await makeSecrets(namespace);
        await available('applier', namespace);
        const before = await identities(namespace);

        const set = 'console.enabled=true,settings.FLOTILLA_LOG_LEVEL=debug';
        helmRun('upgrade', 'hub', 'charts/flotilla', '--set', set);
        expect(await identities(namespace)).toEqual(before);
        await available('applier', namespace);

        for (const name of ['one', 'two']) helmRun('install', name, 'charts/flotilla', '--set', set);
        for (const name of ['one', 'two']) await available(`${name}-flotilla-applier`, namespace);
        helmRun('uninstall', 'two');
        expect(Object.keys(await identities(namespace)).filter((name) => name.includes('two'))).toEqual([]);
        expect(await identities(namespace)).toMatchObject(before);
      } finally {
        rmSync(old, { recursive: true, maxRetries: 5 });
      }
    },
  );

  /** The uid of each Deployment, account and Service of a namespace. */
  async function identities(namespace: string): Promise<Readonly<Record<string, string | undefined>>> {
    const kinds = [
      { apiVersion: 'apps/v1', kind: 'Deployment' },
      { apiVersion: 'v1', kind: 'ServiceAccount' },
      { apiVersion: 'v1', kind: 'Service' },
    ];
    const lists = await Promise.all(kinds.map((kind) => client.list(kind, { namespace })));
    return Object.fromEntries(
      lists.flatMap((list, index) =>
        (list?.items ?? []).map(({ metadata }) => [`${kinds[index]?.kind} ${metadata.name}`, metadata.uid]),
      ),
    );
  }

  it('refuses a pod that asks for more', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'root', namespace: NAMESPACE },
      spec: { containers: [{ name: 'root', image: 'flotilla', securityContext: { privileged: true } }] },
    };
    const refused = await client.create(pod as KubernetesObject).catch((error: unknown) => error);
    expect(KubeApiError.is(refused, 'Forbidden')).toBe(true);
    expect(String(refused)).toContain('violates PodSecurity "restricted');
  });

  it('what a hub of a fleet needs is accepted', async () => {
    expect(await apply(objectsOf(run('kubectl', 'kustomize', 'k8s/overlays/fleet')))).toEqual([]);
  });

  it('the files for Argo CD and Flux are taken by kubectl, and `kubectl get flotilla` lists all fleet kinds', () => {
    const kubectlRun = (...args: string[]) => run('kubectl', '--kubeconfig', kubeconfigPath, ...args);
    kubectlRun('create', 'namespace', 'argocd');
    kubectlRun('create', 'configmap', 'argocd-cm', '-n', 'argocd', '--from-literal=url=https://argocd.example.com');
    kubectlRun('patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--patch-file', 'k8s/gitops/argocd-cm.yaml');
    const keys = Object.keys(
      JSON.parse(kubectlRun('get', 'configmap', 'argocd-cm', '-n', 'argocd', '-o', 'json')).data,
    );
    expect(keys).toContain('url');
    expect(keys).toContain('resource.customizations.health.fleet.flotilla.dev_FleetOperator');
    const window = { apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetWindow', metadata: { name: 'always' } };
    const file = join(mkdtempSync(join(tmpdir(), 'flotilla-window-')), 'window.json');
    writeFileSync(file, JSON.stringify({ ...window, spec: { type: 'Deny', period: PERIOD } }));
    kubectlRun('apply', '--server-side', '-f', file);
    expect(kubectlRun('get', 'flotilla', '-A')).toContain('fleetwindow.fleet.flotilla.dev/always');
  });

  it('the roles for managed clusters are accepted', async () => {
    expect(await apply(objectsOf(run('kubectl', 'kustomize', 'k8s/base/managed-cluster')))).toEqual([]);
  });
});
