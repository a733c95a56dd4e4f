import type { z } from 'zod';
import type { Decoded } from '../go-types/decoded.js';
import { readTyped } from '../go-types/read-typed.js';
import { schemaOf } from '../go-types/typed-schema.js';
import { isRecord } from '../json/json-access.js';
import { typeProblem } from '../verdict/read-foreign.js';

/** Group, version and kind of an API; the core group is the empty string. */
export type GroupVersionKind = Readonly<{ group: string; version: string; kind: string }>;

export type OwnerReference = {
  [field: string]: unknown;
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
};

export type ObjectMeta = {
  [field: string]: unknown;
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | null | undefined;
  deletionTimestamp?: string | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  finalizers?: string[] | undefined;
  ownerReferences?: OwnerReference[] | undefined;
};

/** Any Kubernetes object. Fields common to all kinds are typed, the rest is kept unchanged. */
export type KubernetesObject = { [field: string]: unknown; apiVersion: string; kind: string; metadata: ObjectMeta };

/** The message about a field that an object of any kind must have. */
export const IS_MISSING = 'is missing';

const REQUIRED = ['apiVersion', 'kind', 'metadata'] as const;

/** Reads an object of any kind: its metadata has the types of Kubernetes, and null counts as absent. */
export function readObject(value: unknown): Decoded<KubernetesObject> {
  if (!isRecord(value)) {
    const message = value === undefined ? IS_MISSING : typeProblem(value, 'a map');
    return { ok: false, problems: [{ field: '', message }] };
  }
  const missing = REQUIRED.filter((field) => value[field] === undefined || value[field] === null);
  if (missing.length > 0) return { ok: false, problems: missing.map((field) => ({ field, message: IS_MISSING })) };
  return readTyped('Object', value);
}

export const KubernetesObject: z.ZodType<KubernetesObject> = schemaOf(readObject);

/** Names one object. `namespace` is absent for cluster-scoped kinds. */
export type ObjectRef = Readonly<{
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
}>;

/** Splits an apiVersion: `apps/v1` → group `apps`, version `v1`; `v1` → group `` (core), version `v1`. */
export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Joins group and version. The inverse of {@link splitApiVersion}. */
export const joinApiVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;

/** Returns the reference of an object that has a name. */
export const refOf = (object: KubernetesObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name ?? '',
  namespace: object.metadata.namespace,
});
