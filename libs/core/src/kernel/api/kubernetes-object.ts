import { z } from 'zod';

/** Group, version and kind of an API; the core group is the empty string. */
export type GroupVersionKind = Readonly<{ group: string; version: string; kind: string }>;

export const OwnerReference = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().optional(),
  blockOwnerDeletion: z.boolean().optional(),
});
export type OwnerReference = z.infer<typeof OwnerReference>;

// Loose everywhere: unknown fields survive a round trip. No defaults: parsing must never
// change what is written back.
export const ObjectMeta = z.looseObject({
  name: z.string().optional(),
  generateName: z.string().optional(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  generation: z.number().optional(),
  creationTimestamp: z.string().nullable().optional(),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  finalizers: z.array(z.string()).optional(),
  ownerReferences: z.array(OwnerReference).optional(),
});
export type ObjectMeta = z.infer<typeof ObjectMeta>;

/** Any Kubernetes object: what is common to all kinds is typed, the rest is kept as it came. */
export const KubernetesObject = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: ObjectMeta });
export type KubernetesObject = z.infer<typeof KubernetesObject>;

/** Names one object. `namespace` is absent for cluster-scoped kinds. */
export type ObjectRef = Readonly<{
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
}>;

/** `apps/v1` → group `apps`, version `v1`; `v1` → group `` (core), version `v1`. */
export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The inverse of {@link splitApiVersion}. */
export const joinApiVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;

/** The reference of an object that has a name. */
export const refOf = (object: KubernetesObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name ?? '',
  namespace: object.metadata.namespace,
});
