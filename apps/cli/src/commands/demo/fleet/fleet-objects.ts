import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND, RBAC_GROUP } from '#core/kernel/api/kinds';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Rings } from './fleet-environment.js';
import { CATALOG_IMAGE, PACKAGE } from './lighthouse.js';

/** The namespace of the fleet's objects in the hub, and of the operator in the clusters. */
export const PLATFORM = 'platform';
export const SEA = 'sea';
/** The only group that may approve new minor versions. */
export const BOARD = 'change-board';
const CATALOG = { name: 'curated', namespace: 'olm' };

/**
 * Returns the objects of each cluster before the fleet takes over: the catalog, and the operator by a
 * Subscription.
 */
export const clusterObjects = (registry: string): readonly KubernetesObject[] =>
  [
    { ...KIND.Namespace, metadata: { name: 'olm' } },
    { ...KIND.Namespace, metadata: { name: SEA } },
    {
      ...KIND.OperatorGroup,
      metadata: { name: SEA, namespace: SEA },
      spec: { targetNamespaces: [SEA] },
    },
    {
      ...KIND.CatalogSource,
      metadata: CATALOG,
      spec: {
        sourceType: 'grpc',
        image: `${registry}/${CATALOG_IMAGE}`,
        updateStrategy: { registryPoll: { interval: '2s' } },
      },
    },
    {
      ...KIND.Subscription,
      metadata: { name: PACKAGE, namespace: SEA },
      spec: { name: PACKAGE, channel: 'stable', source: CATALOG.name, sourceNamespace: CATALOG.namespace },
    },
  ].map((object) => KubernetesObject.parse(object));

/**
 * Returns the objects that people write in the hub: clusters with their rings, the strategy, the operator.
 */
export function fleetObjects(rings: Rings): readonly KubernetesObject[] {
  const clusters = Object.entries(rings).flatMap(([ring, names]) =>
    names.map((name) => fleetObject('FleetCluster', { name, labels: { ring } }, { access: { context: name } })),
  );
  const wave = (ring: string, more: object) => ({
    name: ring,
    clusters: { selector: { matchLabels: { ring } } },
    offlineGrace: '1s',
    ...more,
  });
  const lit = { apiVersion: 'lighthouse.example.com/v1', kind: 'Lighthouse', namespace: SEA, selector: {} };
  const lamp = { name: 'lamp', times: 2, interval: '1s', cel: { ...lit, expression: 'object.status.lit' } };
  const strategy = {
    onFailure: 'RollBackAll',
    rollbackConcurrency: '100%',
    approval: {
      default: 'Auto',
      rules: [{ changes: ['Minor', 'Major', 'RBACGrowth'], action: 'Manual', groups: [BOARD] }],
    },
    waves: [
      wave('lab', { maxConcurrent: '100%', soak: '3s' }),
      wave('canary', { maxConcurrent: '100%', soak: '3s', gates: [lamp] }),
      wave('shops', { maxConcurrent: 4 }),
    ],
  };
  const operator = {
    package: PACKAGE,
    namespace: SEA,
    catalog: CATALOG,
    classic: { channel: 'stable' },
    strategyRef: { name: 'careful' },
    adopt: true,
  };
  return [
    KubernetesObject.parse({ ...KIND.Namespace, metadata: { name: PLATFORM } }),
    roleOfBoard('fleet-viewer'),
    roleOfBoard('fleet-approver'),
    ...clusters,
    fleetObject('FleetStrategy', { name: 'careful', namespace: PLATFORM }, strategy),
    fleetObject('FleetOperator', { name: 'lighthouse', namespace: PLATFORM }, operator),
  ];
}

const fleetObject = (kind: string, metadata: object, spec: object): KubernetesObject =>
  KubernetesObject.parse({ apiVersion: FLEET_API, kind, metadata, spec });

const roleOfBoard = (role: string): KubernetesObject =>
  KubernetesObject.parse({
    ...KIND.ClusterRoleBinding,
    metadata: { name: `${BOARD}-${role}` },
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: `flotilla:${role}` },
    subjects: [{ apiGroup: RBAC_GROUP, kind: 'Group', name: BOARD }],
  });
