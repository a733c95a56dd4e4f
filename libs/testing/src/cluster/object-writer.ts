import { type ApiObject, keyOf, type OwnerReference, storageKey } from './api-object.js';
import { type ClusterState, timestamp } from './cluster-state.js';
import { type FieldChange, trackApply, trackUpdate, withoutFieldTimes } from './field-managers.js';
import { equal, isObject, type JsonObject, stringAt, withoutNulls } from './json.js';
import { strategyOf } from './kind-strategies.js';
import { decodedObject, metadataFaults, newMetadata, specChanged, updatedMetadata } from './object-metadata.js';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  modifiedMeanwhile,
  notFound,
  Refusal,
} from './refusal.js';
import { hasStatus, type ResourceInfo } from './resource-info.js';
import { keyOfResource } from './resource-registry.js';

/** Where a request writes: one resource in one version, in a namespace or not. */
export type Place = Readonly<{
  info: ResourceInfo;
  version: string;
  namespace?: string | undefined;
  subresource?: string | undefined;
}>;

export type WriteOptions = Readonly<{
  manager: string;
  dryRun?: boolean;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Collects the texts of `Warning` headers. */
  warnings?: string[];
}>;

export type DeleteOptions = Readonly<{
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  propagation?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  dryRun?: boolean;
}>;

export type Deleted = Readonly<{ object: ApiObject; gone: boolean }>;

/** Creates, updates and deletes the objects of one cluster by the API server's rules. */
export class ObjectWriter {
  constructor(readonly cluster: ClusterState) {}

  get(place: Place, name: string): ApiObject {
    const found = this.cluster.storage.get(keyOfResource(place.info), storageKey(place.namespace, name));
    if (found === undefined) throw notFound(place.info, name);
    return found;
  }

  create(place: Place, sent: unknown, options: WriteOptions, apply = false): ApiObject {
    const { info, namespace } = place;
    const decoded = this.#decode(place, sent);
    if (decoded.metadata.resourceVersion !== undefined && decoded.metadata.resourceVersion !== '') {
      throw new Refusal(500, '', 'resourceVersion should not be set on objects to be created');
    }
    this.#checkNamespace(place, decoded);
    const { status: _, ...withoutStatus } = decoded;
    const fresh = hasStatus(info) || info.kind === 'Namespace' ? (withoutStatus as ApiObject) : decoded;
    const named: ApiObject = { ...fresh, metadata: newMetadata(info, namespace, fresh.metadata) };
    const strategy = strategyOf(info);
    const prepared = strategy.prepare?.(named, undefined, this.cluster) ?? named;
    const checked = this.#checked(place, prepared, undefined, options);
    if (this.cluster.storage.get(keyOfResource(info), keyOf(checked)) !== undefined) {
      throw alreadyExists(info, checked.metadata.name);
    }
    const change = this.#change(place, options);
    const object = apply ? checked : trackUpdate(undefined, checked, change);
    return options.dryRun ? object : this.cluster.storage.put(keyOfResource(info), object);
  }

  /** PUT and the patches: `transform` makes the wished object from the stored one. */
  update(place: Place, name: string, transform: (live: ApiObject) => unknown, options: WriteOptions): ApiObject {
    const live = this.get(place, name);
    const sent = this.#decode(place, transform(live), name);
    this.#checkPreconditions(place, live, sent);
    const next = this.#merged(place, live, sent);
    const checked = this.#checked(place, next, live, options);
    const tracked = trackUpdate(
      live,
      { ...checked, metadata: { ...checked.metadata, ...managed(sent, live) } },
      this.#change(place, options),
    );
    return this.#store(place, live, tracked, options);
  }

  /** Server-side apply. */
  apply(
    place: Place,
    name: string,
    sent: unknown,
    options: WriteOptions & { force: boolean },
  ): { object: ApiObject; created: boolean } {
    const config = this.#decode(place, sent, name);
    if (isObject(sent) && isObject(sent.metadata) && sent.metadata.managedFields !== undefined) {
      throw badRequest('metadata.managedFields must be nil');
    }
    const key = storageKey(place.namespace, name);
    const live = this.cluster.storage.get(keyOfResource(place.info), key);
    const change = this.#change(place, options);
    if (live === undefined) {
      if (place.subresource !== undefined) throw notFound(place.info, name);
      const { object } = trackApply(undefined, config, change, options.force);
      return { object: this.create(place, object, options, true), created: true };
    }
    if (config.metadata.resourceVersion) this.#checkPreconditions(place, live, config);
    const applied = trackApply(live, config, change, options.force).object;
    const next = this.#merged(place, live, applied);
    const checked = this.#checked(place, next, live, options);
    const managedFields = applied.metadata.managedFields;
    const object = {
      ...checked,
      metadata: { ...checked.metadata, ...(managedFields === undefined ? {} : { managedFields }) },
    };
    return { object: this.#store(place, live, object, options), created: false };
  }

  /** Deletes at once, or marks the object where finalizers hold it. */
  delete(place: Place, name: string, options: DeleteOptions): Deleted {
    const live = this.get(place, name);
    const { uid, resourceVersion } = live.metadata;
    const unmet = (what: string, wanted: string, found: string) =>
      conflict(
        place.info,
        name,
        `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
      );
    if (options.uid !== undefined && options.uid !== uid) throw unmet('UID', options.uid, uid);
    if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
      throw unmet('ResourceVersion', options.resourceVersion, resourceVersion);
    }
    const extra = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'], Background: [] }[
      options.propagation ?? 'Background'
    ];
    const finalizers = [...new Set([...(live.metadata.finalizers ?? []), ...extra])];
    const marked = strategyOf(place.info).markDeleted?.(live);
    if (finalizers.length === 0 && marked === undefined) {
      if (!options.dryRun) this.cluster.storage.remove(keyOfResource(place.info), live);
      return { object: live, gone: true };
    }
    if (live.metadata.deletionTimestamp !== undefined && extra.length === 0) return { object: live, gone: false };
    return { object: this.#mark(place, marked ?? live, finalizers, options), gone: false };
  }

  #mark(place: Place, live: ApiObject, finalizers: string[], options: DeleteOptions): ApiObject {
    const { generation, deletionTimestamp } = live.metadata;
    const object: ApiObject = {
      ...live,
      metadata: {
        ...live.metadata,
        deletionTimestamp: deletionTimestamp ?? timestamp(),
        deletionGracePeriodSeconds: 0,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        ...(generation === undefined || deletionTimestamp !== undefined ? {} : { generation: generation + 1 }),
      },
    };
    return options.dryRun ? object : this.cluster.storage.put(keyOfResource(place.info), object);
  }

  #decode(place: Place, sent: unknown, name?: string): ApiObject {
    const { info, version } = place;
    const decoded = decodedObject(info, version, info.builtin ? withoutNulls(sent) : sent);
    const { metadata } = decoded;
    if (name !== undefined && metadata.name !== '' && metadata.name !== name) {
      throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
    }
    if (metadata.namespace !== undefined && metadata.namespace !== place.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    return name === undefined ? decoded : { ...decoded, metadata: { ...metadata, name } };
  }

  #checkNamespace({ info, namespace }: Place, object: ApiObject): void {
    if (!info.namespaced) return;
    const found = this.cluster.namespace(namespace ?? '');
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace ?? '');
    if (found.metadata.deletionTimestamp === undefined) return;
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    };
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(info, object.metadata.name, why, [cause]);
  }

  #checkPreconditions({ info }: Place, live: ApiObject, sent: ApiObject): void {
    const { name, resourceVersion, uid } = sent.metadata;
    if (uid && uid !== live.metadata.uid) {
      throw conflict(
        info,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== '0' && resourceVersion !== live.metadata.resourceVersion) {
      throw modifiedMeanwhile(info, name);
    }
  }

  /** What of the sent object this endpoint may change, over what is stored. */
  #merged({ info, subresource }: Place, live: ApiObject, sent: ApiObject): ApiObject {
    if (subresource !== undefined) {
      const { status: _, ...rest } = live;
      return {
        ...rest,
        ...(sent.status === undefined ? {} : { status: sent.status }),
        apiVersion: sent.apiVersion,
      } as ApiObject;
    }
    const metadata = updatedMetadata(live.metadata, sent.metadata);
    if (!hasStatus(info)) return { ...sent, metadata };
    const { status: _, ...rest } = sent;
    return { ...rest, ...(live.status === undefined ? {} : { status: live.status }), metadata } as ApiObject;
  }

  #checked(place: Place, object: ApiObject, live: ApiObject | undefined, options: WriteOptions): ApiObject {
    const { info, version } = place;
    const strategy = strategyOf(info);
    const prepared = live === undefined ? object : (strategy.prepare?.(object, live, this.cluster) ?? object);
    const verdict = info.checkSchema?.(version, prepared) ?? { object: prepared, unknownFields: [], causes: [] };
    this.#reportUnknown(place, verdict.unknownFields, options);
    const causes = [
      ...metadataFaults(info, verdict.object.metadata),
      ...verdict.causes,
      ...(strategy.validate?.(verdict.object, live) ?? []),
    ];
    if (causes.length > 0) throw invalid(info, object.metadata.name, causes);
    if (live === undefined || !info.generation) return verdict.object;
    return this.#withGeneration(info, live, verdict.object);
  }

  #reportUnknown({ info, version }: Place, unknown: readonly string[], options: WriteOptions): void {
    if (unknown.length === 0 || options.fieldValidation === 'Ignore') return;
    const texts = unknown.map((field) => `unknown field "${field}"`);
    if (options.fieldValidation === 'Strict') {
      const head = `${info.kind} in version "${version}" cannot be handled as a ${info.kind}: `;
      throw badRequest(`${head}strict decoding error: ${texts.join(', ')}`);
    }
    options.warnings?.push(...texts);
  }

  #withGeneration(info: ResourceInfo, live: ApiObject, next: ApiObject): ApiObject {
    const generation = (live.metadata.generation ?? 1) + (specChanged(live, next, hasStatus(info)) ? 1 : 0);
    return { ...next, metadata: { ...next.metadata, generation } };
  }

  /** Writes what differs; the last finalizer of a marked object going away deletes it. */
  #store(place: Place, live: ApiObject, next: ApiObject, options: WriteOptions): ApiObject {
    if (options.dryRun || equal(withoutFieldTimes(live), withoutFieldTimes(next))) return options.dryRun ? next : live;
    const key = keyOfResource(place.info);
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      if (strategyOf(place.info).markDeleted === undefined) {
        this.cluster.storage.remove(key, next);
        return next;
      }
    }
    return this.cluster.storage.put(key, next);
  }

  #change({ info, version, subresource }: Place, options: WriteOptions): FieldChange {
    const apiVersion = info.group === '' ? version : `${info.group}/${version}`;
    const sub = subresource === undefined ? {} : { subresource };
    return {
      manager: options.manager,
      apiVersion,
      time: timestamp(),
      schema: info.mergeSchema(version),
      resetsStatus: hasStatus(info),
      ...sub,
    };
  }
}

/** managedFields an update carries: what the client sent, or the stored ones where it sent none. */
function managed(sent: ApiObject, live: ApiObject): JsonObject {
  const { managedFields } = sent.metadata.managedFields === undefined ? live.metadata : sent.metadata;
  return managedFields === undefined ? {} : { managedFields };
}

/** The references of an object to its owners that are well formed. */
export const ownersOf = (object: ApiObject): readonly OwnerReference[] =>
  (object.metadata.ownerReferences ?? []).filter((owner) => stringAt(owner, 'uid') !== undefined);
