import type { ClusterServiceVersion, CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { wantedDeployments } from '../deployments/install-deployments.js';
import type { CsvWorld } from './csv-world.js';

const NAMESPACE = 'mill';
export const NOW = new Date('2026-01-01T00:10:00Z');

/** A member of the group of {@link world}, with one Deployment; `spec` and `status` on top. */
export function gear(
  name: string,
  spec: Partial<ClusterServiceVersion['spec']> = {},
  status?: CsvStatus,
): ClusterServiceVersion {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      finalizers: ['operators.coreos.com/csv-cleanup'],
      annotations: {
        'olm.operatorGroup': 'millers',
        'olm.operatorNamespace': NAMESPACE,
        'olm.targetNamespaces': NAMESPACE,
      },
    },
    spec: {
      installModes: [{ type: 'OwnNamespace', supported: true }],
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [
            {
              name: 'gear',
              spec: { template: { spec: { containers: [{ name: 'gear', image: 'example.test/gear:1' }] } } },
            },
          ],
        },
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export const millers = (spec: NonNullable<OperatorGroup['spec']> = {}): OperatorGroup => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name: 'millers', namespace: NAMESPACE, uid: 'uid-of-millers' },
  spec,
  status: { namespaces: [NAMESPACE], lastUpdated: '2026-01-01T00:00:00Z' },
});

/** Returns a namespace with only its group; `parts` on top. */
export const world = (parts: Partial<CsvWorld> = {}): CsvWorld => ({
  now: NOW,
  csvs: [],
  operatorGroups: [millers()],
  otherOperatorGroups: [],
  subscriptions: [],
  crds: new Map(),
  apiServices: new Map(),
  serviceAccounts: [],
  roles: [],
  roleBindings: [],
  deployments: [],
  services: new Map(),
  pods: [],
  clusterRoles: [],
  clusterRoleBindings: [],
  operatorConditions: new Map(),
  servingCertificates: new Map(),
  issuedCertificates: new Map(),
  webhookConfigurations: [],
  authReaders: [],
  serverVersion: 'v1.34.4',
  servedKinds: new Set(),
  ...parts,
});

/** The CSV's Deployments as installed, with a status. */
export const installedDeployments = (
  csv: ClusterServiceVersion,
  status: Record<string, unknown> = { conditions: [{ type: 'Available', status: 'True' }] },
  seen: CsvWorld = world(),
): readonly KubernetesObject[] => wantedDeployments(csv, seen).map(({ object }) => ({ ...object, status }));
