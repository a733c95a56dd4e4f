import type { KubernetesObject } from '../api/kubernetes-object.js';
import { asList, asRecord, asText } from './loose-value.js';

/** One entry of a CustomResourceDefinition's spec.versions, reduced to the fields that upgrades read. */
export type CrdVersion = Readonly<{
  name: string;
  served: boolean;
  storage: boolean;
  /** schema.openAPIV3Schema. Undefined if the version has none. */
  schema?: Readonly<Record<string, unknown>>;
}>;

const specOf = (crd: KubernetesObject): Readonly<Record<string, unknown>> => asRecord(crd['spec']);

/** Returns spec.group. */
export const crdGroup = (crd: KubernetesObject): string => asText(specOf(crd)['group']);

/** Returns spec.names.kind. */
export const crdKind = (crd: KubernetesObject): string => asText(asRecord(specOf(crd)['names'])['kind']);

/** True if a webhook converts objects from one version into another. */
export const convertsByWebhook = (crd: KubernetesObject): boolean =>
  asRecord(specOf(crd)['conversion'])['strategy'] === 'Webhook';

/**
 * Returns spec.versions. In the old API v1beta1, spec.version with spec.validation also counts, as a served
 * and stored version (spec: install-plans.md §7).
 */
export function crdVersions(crd: KubernetesObject): CrdVersion[] {
  const spec = specOf(crd);
  const shared = asRecord(asRecord(spec['validation'])['openAPIV3Schema']);
  const listed = asList(spec['versions']).map((entry) => versionOf(asRecord(entry), shared));
  if (listed.length > 0 || asText(spec['version']) === '') return listed;
  return [versionOf({ name: spec['version'], served: true, storage: true }, shared)];
}

function versionOf(entry: Readonly<Record<string, unknown>>, shared: Readonly<Record<string, unknown>>): CrdVersion {
  const own = asRecord(asRecord(entry['schema'])['openAPIV3Schema']);
  const schema = Object.keys(own).length > 0 ? own : shared;
  return {
    name: asText(entry['name']),
    served: entry['served'] === true,
    storage: entry['storage'] === true,
    ...(Object.keys(schema).length > 0 ? { schema } : {}),
  };
}

/** Returns status.storedVersions: every version that objects in the cluster's storage may still have. */
export const storedVersions = (crd: KubernetesObject): string[] =>
  asList(asRecord(crd['status'])['storedVersions']).map(asText);

/** Returns the reason why the API server does not serve the kind, in its own words. */
export function whyNotEstablished(crd: KubernetesObject): string {
  const conditions = asList(asRecord(crd['status'])['conditions']).map(asRecord);
  const lacking = conditions.find(({ type, status }) => type === 'NamesAccepted' && status !== 'True');
  const condition = lacking ?? conditions.find(({ type, status }) => type === 'Established' && status !== 'True');
  return asText(condition?.['message']) || 'the API server does not serve it yet';
}

/** True once the API server accepted the names and serves the kind. */
export function isEstablished(crd: KubernetesObject): boolean {
  const conditions = asList(asRecord(crd['status'])['conditions']).map(asRecord);
  const holds = (type: string) =>
    conditions.some((condition) => condition['type'] === type && condition['status'] === 'True');
  return holds('Established') && holds('NamesAccepted');
}
