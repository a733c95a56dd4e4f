import type { JsonObject } from './json.js';

export type OwnerReference = JsonObject & { apiVersion: string; kind: string; name: string; uid: string };

/** One row of metadata.managedFields, as the API server shows it. */
export type ManagedFieldsEntry = {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1: JsonObject;
  subresource?: string;
};

export type ObjectMetadata = JsonObject & {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
};

/**
 * An object as the simulator stores it. Stored objects are never changed in place:
 * every write makes a new one.
 */
export type ApiObject = JsonObject & { apiVersion: string; kind: string; metadata: ObjectMetadata };

export const storageKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export const keyOf = (object: ApiObject): string => storageKey(object.metadata.namespace, object.metadata.name);
