import { describe, expect, it } from 'vitest';
import type { ImportTool } from '../../kernel/api/fleet/fleet-cluster-source.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { foreignCluster } from './foreign-cluster.js';
import { ARGO_TOKEN, argoSecret, capiCluster, managedCluster, rancherCluster } from './foreign-objects.fixture.js';

const read = (tool: ImportTool, object: KubernetesObject) => foreignCluster(tool, object);
const argoNamed = (name: string, metadata = {}) => argoSecret(ARGO_TOKEN, { name, metadata });

describe('a cluster of another tool', () => {
  it.each<[ImportTool, KubernetesObject, object]>([
    [
      'ArgoCD',
      argoNamed('mycluster.example.com', {
        labels: { env: 'prod' },
        annotations: { 'example.com/owner': 'shop team' },
      }),
      {
        ...{ origin: 'Secret argocd/mycluster-secret', name: 'mycluster.example.com', labels: { env: 'prod' } },
        annotations: { 'example.com/owner': 'shop team' },
        login: { name: 'mycluster-secret', namespace: 'argocd', format: 'ArgoCD' },
        notes: [],
      },
    ],
    [
      'ClusterAPI',
      capiCluster('east', { 'cluster.x-k8s.io/watch-filter': 'x', region: 'eu' }),
      {
        ...{
          origin: 'Cluster.cluster.x-k8s.io clusters/east',
          name: 'east',
          labels: { region: 'eu' },
          annotations: {},
        },
        login: { name: 'east-kubeconfig', namespace: 'clusters', format: 'ClusterAPI' },
        notes: [],
      },
    ],
    [
      'Rancher',
      rancherCluster('west', { clientSecretName: 'west-kubeconfig' }),
      {
        origin: 'Cluster.provisioning.cattle.io fleet-default/west',
        name: 'west',
        ...{ labels: { 'provider.cattle.io': 'rke2', env: 'prod' }, annotations: {} },
        login: { name: 'west-kubeconfig', namespace: 'fleet-default', format: 'Rancher' },
        notes: [],
      },
    ],
    [
      'OCM',
      managedCluster('north'),
      {
        ...{ origin: 'ManagedCluster.cluster.open-cluster-management.io north', name: 'north' },
        labels: { 'cluster.open-cluster-management.io/clusterset': 'default', vendor: 'OpenShift' },
        annotations: { 'agent.open-cluster-management.io/klusterlet-config': 'default' },
        notes: [],
      },
    ],
  ])('of %s has its name, labels, annotations and the reference to its login', (tool, object, wanted) => {
    expect(read(tool, object)).toEqual(wanted);
    expect(JSON.stringify(read(tool, object))).not.toContain('authentication-token');
  });

  it('has the Secret of its name in Rancher while the status names none', () => {
    expect(read('Rancher', rancherCluster('west'))).toMatchObject({ login: { name: 'west-kubeconfig' } });
  });

  it.each([
    ['arn:aws:eks:eu-west-1:123456789012:cluster/Prod', 'arn-aws-eks-eu-west-1-123456789012-cluster-prod'],
    ['https://1.2.3.4:6443', 'https-1.2.3.4-6443'],
    ['  Shop 1  ', 'shop-1'],
    ['-._x_.-', 'x'],
  ])('%j is called %s', (name, wanted) => {
    expect(read('ArgoCD', argoNamed(name))).toMatchObject({ name: wanted });
  });

  it('is called as its server if it has no name', () => {
    const secret = argoNamed('x');
    const { name: _name, ...data } = secret['data'] as Record<string, string>;
    expect(read('ArgoCD', { ...secret, data })).toMatchObject({ name: 'https-mycluster.example.com' });
  });

  it.each<[string, ImportTool, KubernetesObject]>([
    ['its name "\u4e1c" has no letter and no digit', 'ArgoCD', argoNamed('\u4e1c')],
    [`its name "${'a'.repeat(80)}"… is longer than 253 characters`, 'ArgoCD', argoNamed('a'.repeat(254))],
    ['its hub has not accepted it yet', 'OCM', managedCluster('north', false)],
    ['the name of its Secret is not a DNS subdomain', 'Rancher', rancherCluster('x', { clientSecretName: '../x' })],
    [
      'the name of its Secret does not end in -kubeconfig: the hub reads no other one',
      'Rancher',
      rancherCluster('x', { clientSecretName: 'admin' }),
    ],
    ['key "config" is not JSON', 'ArgoCD', argoSecret('no')],
  ])('is refused: %s', (refused, tool, object) => {
    expect(read(tool, object)).toEqual({ origin: expect.any(String), refused });
  });

  it('brings no key by which tools find their objects, and no secret', () => {
    const applied = JSON.stringify({ data: { config: 'authentication-token' } });
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': applied,
      'argocd.argoproj.io/tracking-id': 'app:/Secret:argocd/x',
      'fleet.flotilla.dev/accepted-uid': 'u-1',
      'fleet.flotilla.dev/force-removal': 'true',
      'example.com/api-token': 'hush-hush-hush',
      'example.com/long': 'x'.repeat(1_025),
      note: 'kept',
    };
    const labels = {
      'app.kubernetes.io/instance': 'clusters',
      'kustomize.toolkit.fluxcd.io/name': 'clusters',
      'objectset.rio.cattle.io/hash': 'abc',
      'fleet.flotilla.dev/source': 'other',
      'topology.kubernetes.io/region': 'eu',
    };
    const found = read('ArgoCD', argoNamed('x', { labels, annotations }));
    expect(found).toMatchObject({ labels: { 'topology.kubernetes.io/region': 'eu' }, annotations: { note: 'kept' } });
    expect(found).toMatchObject({
      notes: [
        'annotation "example.com/api-token" is not copied: its value may hold a secret',
        'annotation "example.com/long" is not copied: its value is longer than 1024 characters',
      ],
    });
    expect(JSON.stringify(found)).not.toMatch(/hush|authentication-token/);
  });

  it('names labels that no API server takes, and those beyond the most', () => {
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`l${String(at).padStart(2, '0')}`, 'v']));
    const found = read('ArgoCD', argoNamed('x', { labels: { ...many, a: 'no value', 'b c': 'v' } }));
    const { labels, notes } = found as { labels: object; notes: readonly string[] };
    expect(Object.keys(labels)).toHaveLength(48);
    expect(notes.slice(0, 3)).toEqual([
      'label "a" is not copied: its value is none of a label',
      'label "b c" is not copied: its key is none of a label',
      'label "l48" is not copied: more than 48 are not copied',
    ]);
    expect(notes.at(-1)).toMatch(/^\d+ more labels are not copied$/);
  });
});
