import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
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
  'redis-passwords': ['poller', 'resolver', 'applier', 'console'],
  console: ['key'],
  'catalog-poller-kubeconfig': ['config'],
  'applier-kubeconfig': ['config'],
  'flotilla-redis': ['url'],
  ...Object.fromEntries(
    ['catalog-poller', 'applier', 'resolver-worker'].map((name) => [`${name}-tls`, ['tls.crt', 'tls.key', 'ca.crt']]),
  ),
};

type Deployment = KubernetesObject & {
  spec: Readonly<{ replicas?: number }>;
  status?: Readonly<{ availableReplicas?: number; updatedReplicas?: number; observedGeneration?: number }>;
};

const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' });
const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text, OF_GO).flatMap((document) => {
    const object = document.toJS();
    return object === null ? [] : [KubernetesObject.parse(object)];
  });

describe('the hub’s manifests on a real API server, with Pod Security "restricted" enforced', needing(kubectl), () => {
  let controlPlane: ControlPlane | undefined;
  let client: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath } = { kubeconfigPath: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'kubectl' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    client = loaded;
    for (const definition of foreignDefinitions()) await createIgnoringExisting(client, definition);
    await apply(objectsOf(run('kubectl', 'kustomize', 'k8s/base')).filter(({ kind }) => kind === 'Namespace'));
    for (const [name, keys] of Object.entries(SECRETS)) {
      const stringData = Object.fromEntries(keys.map((key) => [key, 'x']));
      await createIgnoringExisting(client, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: NAMESPACE },
        stringData,
      } as KubernetesObject);
    }
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  /** Applies objects. Returns the warnings of the API server. */
  async function apply(objects: readonly KubernetesObject[]): Promise<string[]> {
    const warnings: string[] = [];
    for (const object of objects) warnings.push(...(await client.apply(object)).warnings);
    return warnings;
  }

  /** Once all of its pods are available, as many as are wanted. */
  async function available(name: string): Promise<number> {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: NAMESPACE };
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
    ...['console', 'fleet', 'http-tls', 'token-review', 'tracing'].map((one) => ({
      what: `k8s/components/${one}`,
      needs: [kubectl],
      render: () => kustomizedWith(['k8s/base'], [`k8s/components/${one}`]),
    })),
    {
      what: 'k8s/components/service-monitor',
      needs: [kubectl],
      render: () => kustomizedWith(['k8s/overlays/monitoring'], ['k8s/components/service-monitor']),
    },
    {
      what: 'charts/flotilla with the console',
      needs: [kubectl, helm],
      render: () => {
        const args = ['--namespace', NAMESPACE, '--kube-version', '1.34.0', '--set', 'console.enabled=true'];
        return run('helm', 'template', 'hub', 'charts/flotilla', ...args);
      },
    },
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

  it('the roles for managed clusters are accepted', async () => {
    expect(await apply(objectsOf(run('kubectl', 'kustomize', 'k8s/base/managed-cluster')))).toEqual([]);
  });
});
