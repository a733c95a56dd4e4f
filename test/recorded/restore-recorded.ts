import type { Catalog } from '#core/catalog/model/catalog';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import { put } from '../../apps/cli/src/clusters/live-objects.fixture.js';
import type { Dump, Json, JsonObject } from './recording.js';

type ClusterToFill = Parameters<typeof put>[0] & Readonly<{ get: (ref: ObjectRef) => KubernetesObject | undefined }>;

/** Owners before their objects. Namespaces, aggregated roles and APIServices make some objects themselves. */
const KINDS: readonly (readonly [kind: string, apiVersion: string])[] = [
  ['OperatorGroup', 'operators.coreos.com/v1'],
  ['CatalogSource', CSV_API.apiVersion],
  ['Subscription', CSV_API.apiVersion],
  ['InstallPlan', CSV_API.apiVersion],
  ['ClusterServiceVersion', CSV_API.apiVersion],
  ['OperatorCondition', 'operators.coreos.com/v2'],
  ['ServiceAccount', 'v1'],
  ['Role', 'rbac.authorization.k8s.io/v1'],
  ['RoleBinding', 'rbac.authorization.k8s.io/v1'],
  ['ClusterRole', 'rbac.authorization.k8s.io/v1'],
  ['Deployment', 'apps/v1'],
];

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/<time>/g, '2026-01-01T00:00:00Z'],
  [/<uid>/g, '00000000-0000-4000-8000-000000000001'],
  [/install-<(\d+)>/g, 'install-rec0$1'],
];

/**
 * Puts OLM's state at a moment of a recording into a cluster. Parts that the recorder reduced, the spec of a
 * ClusterServiceVersion and the CustomResourceDefinitions, come from the recording's own catalog.
 */
export function restoreRecorded(cluster: ClusterToFill, dump: Dump, catalog: Catalog, address: string): void {
  const shipped = KubernetesObject.array().parse(catalog.bundles.flatMap(({ objects }) => objects));
  for (const crd of shipped.filter(({ kind }) => kind === 'CustomResourceDefinition')) {
    if (dump['CustomResourceDefinition']?.[crd.metadata.name ?? ''] !== undefined) cluster.create(crd);
  }
  for (const [kind, apiVersion] of KINDS) {
    for (const recorded of Object.values(dump[kind] ?? {})) {
      const object = { ...unmasked(recorded, address), apiVersion, kind } as KubernetesObject;
      put(cluster, withOwners(cluster, whole(object, shipped)));
    }
  }
}

function unmasked(recorded: JsonObject, address: string): JsonObject {
  const masks = [...MASKS, [/<catalog-address>/g, address] as const];
  const text = masks.reduce((known, [mask, value]) => known.replaceAll(mask, value), JSON.stringify(recorded));
  return JSON.parse(text) as JsonObject;
}

/** Adds the fields that the recorder left out or changed for the eye. */
function whole(object: KubernetesObject, shipped: readonly KubernetesObject[]): KubernetesObject {
  const { kind, metadata } = object;
  if (kind === 'ClusterServiceVersion') {
    const csv = shipped.find((one) => one.kind === kind && one.metadata.name === metadata.name);
    return { ...object, spec: csv?.['spec'] };
  }
  if (kind === 'InstallPlan') return { ...object, status: withTexts(object['status'] as JsonObject) };
  if (kind !== 'Deployment') return object;
  // The simulated cluster has a controller of Deployments of its own.
  const { status: _ofOther, ...rest } = object;
  return rest;
}

/** Manifests of steps as text, as the API has them. */
function withTexts(status: JsonObject): JsonObject {
  const plan = (status['plan'] ?? []) as readonly (JsonObject & { resource: JsonObject })[];
  const texts = plan.map((step): Json => {
    const { manifest = {} } = step.resource;
    return { ...step, resource: { ...step.resource, manifest: JSON.stringify(manifest) } };
  });
  return { ...status, plan: texts };
}

/** With the UIDs that owners have here. */
function withOwners(cluster: ClusterToFill, object: KubernetesObject): KubernetesObject {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const owners = ownerReferences.flatMap((owner) => {
    const { apiVersion, kind, name } = owner;
    const live = cluster.get({ apiVersion, kind, name, namespace: metadata.namespace ?? '' });
    return live === undefined ? [] : [{ ...owner, uid: live.metadata.uid ?? '' }];
  });
  return { ...object, metadata: { ...metadata, ...(owners.length === 0 ? {} : { ownerReferences: owners }) } };
}
