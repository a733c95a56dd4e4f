import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';

type Spec = Readonly<Record<string, unknown>>;
type CsvParts = Readonly<{
  spec?: Spec;
  status?: Readonly<Record<string, unknown>>;
  metadata?: KubernetesObject['metadata'];
  /** Permissions in its namespace and in the cluster, of service account `lamp`. */
  rules?: readonly unknown[];
  clusterRules?: readonly unknown[];
  deployments?: readonly string[];
}>;

const deployment = (name: string) => ({
  name,
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'manager', image: 'registry.example/lamp:1' }] },
    },
  },
});

/** A CSV that supports all install modes, with one Deployment `lamp` unless `deployments` names others. */
export function lampCsv(namespace: string, name = 'lamp.v1', parts: CsvParts = {}): KubernetesObject {
  const { spec = {}, status, metadata = {}, rules, clusterRules, deployments = ['lamp'] } = parts;
  const permissions = (of: readonly unknown[] | undefined) => of && [{ serviceAccountName: 'lamp', rules: of }];
  const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
  return objectOf('ClusterServiceVersion', name, namespace, {
    metadata,
    spec: {
      displayName: 'Lamp',
      version: '1.0.0',
      installModes: modes.map((type) => ({ type, supported: true })),
      install: {
        strategy: 'deployment',
        spec: {
          deployments: deployments.map(deployment),
          ...(rules === undefined ? {} : { permissions: permissions(rules) }),
          ...(clusterRules === undefined ? {} : { clusterPermissions: permissions(clusterRules) }),
        },
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  });
}

/** A status of a CSV that was installed at the beginning of 2026. */
export const inPhase = (phase: string, reason: string, message = '') => ({
  ...{ phase, reason, message },
  lastUpdateTime: '2026-01-01T00:00:00Z',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
export const SUCCEEDED = inPhase('Succeeded', 'InstallSucceeded', 'install strategy completed with no errors');

/** `lamp.v1 Pending RequirementsNotMet` of each CSV of a namespace. */
export const phases = (at: ClassicCluster, namespace: string): readonly string[] =>
  at.names('ClusterServiceVersion', namespace).map((name) => {
    const csv = at.csv(namespace, name.split('/')[1] ?? '');
    return [csv?.metadata.name, csv?.status?.phase, csv?.status?.reason].join(' ');
  });

/** `Phase/Reason` of each entry of the history, oldest first. */
export const history = (at: ClassicCluster, namespace: string, name = 'lamp.v1'): readonly string[] =>
  (at.csv(namespace, name)?.status?.conditions ?? []).map(({ phase, reason }) => `${phase}/${reason}`);

/** A CustomResourceDefinition that is served a moment later. */
export const crd = (plural: string, group: string, kind: string): KubernetesObject =>
  objectOf('CustomResourceDefinition', `${plural}.${group}`, undefined, {
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });

export const LAMP_DEPLOYMENT = refTo('Deployment', 'lamp', 'shop');
