import { strategyOf } from '../kinds/kind-strategies.js';
import { type ApiObject, keyOf, storageKey } from '../objects/api-object.js';
import { equal, isObject, type JsonObject, omittedEmpty, stringAt } from '../objects/json.js';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  invalidValue,
  modifiedMeanwhile,
  notFound,
  Refusal,
} from '../objects/refusal.js';
import { type FieldChange, trackApply, trackUpdate, withoutFieldTimes } from '../patches/field-managers.js';
import { hasStatus, type ResourceInfo } from '../resources/resource-info.js';
import { keyOfResource } from '../resources/resource-registry.js';
import { type ClusterState, timestamp } from '../state/cluster-state.js';
import { decodedObject, metadataFaults, newMetadata, specChanged, updatedMetadata } from './object-metadata.js';

/** Target of a request's write: one resource in one version, in a namespace or not. */
export type WritePlace = Readonly<{
  info: ResourceInfo;
  version: string;
  namespace?: string | undefined;
  subresource?: string | undefined;
}>;

export type SimulatedWriteOptions = Readonly<{
  manager: string;
  dryRun?: boolean;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** The subresource that the write is tracked under, if it is not the place's own. */
  trackedAs?: string;
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

  get(place: WritePlace, name: string): ApiObject {
    const found = this.cluster.storage.get(keyOfResource(place.info), storageKey(place.namespace, name));
    if (found === undefined) throw notFound(place.info, name);
    return found;
  }

  create(place: WritePlace, sent: unknown, options: SimulatedWriteOptions, apply = false): ApiObject {
    const { info, namespace } = place;
    const decoded = this.decode(place, sent);
    if (decoded.metadata.resourceVersion !== undefined && decoded.metadata.resourceVersion !== '') {
      throw new Refusal(500, '', 'resourceVersion should not be set on objects to be created');
    }
    this.#checkNamespace(place, decoded);
    const { status: _, ...withoutStatus } = decoded;
    const fresh = hasStatus(info) || info.kind === 'Namespace' ? (withoutStatus as ApiObject) : decoded;
    const named: ApiObject = { ...fresh, metadata: newMetadata(info, namespace, fresh.metadata) };
    const decodedFully = this.#decodedFully(place, named, undefined, options);
    const tracked = apply
      ? decodedFully
      : trackUpdate(undefined, withoutRows(decodedFully), this.#change(place, options));
    const object = this.#prepared(place, tracked, undefined);
    if (this.cluster.storage.get(keyOfResource(info), keyOf(object)) !== undefined) {
      throw alreadyExists(info, object.metadata.name);
    }
    if (!options.dryRun) return this.cluster.storage.put(keyOfResource(info), object);
    const { resourceVersion: __, ...metadata } = object.metadata;
    return { ...object, metadata } as ApiObject;
  }

  /** PUT and the patches: `transform` makes the desired object from the stored one. */
  update(
    place: WritePlace,
    name: string,
    transform: (live: ApiObject) => unknown,
    options: SimulatedWriteOptions,
  ): ApiObject {
    const live = this.get(place, name);
    const sent = this.decode(place, transform(live), name);
    if (!sent.metadata.resourceVersion && strategyOf(place.info).conditionalUpdates) {
      const cause = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalid({ group: place.info.group, kind: place.info.resource }, name, [cause]);
    }
    this.#checkPreconditions(place, live, sent);
    const next = this.#decodedFully(place, this.#merged(place, live, sent), live, options);
    const withSentRows = { ...next, metadata: { ...next.metadata, ...managed(sent, live) } };
    const tracked = trackUpdate(live, withSentRows, this.#change(place, options));
    return this.#store(place, live, this.#prepared(place, tracked, live), options);
  }

  /** Server-side apply. */
  apply(
    place: WritePlace,
    name: string,
    sent: unknown,
    options: SimulatedWriteOptions & { force: boolean },
  ): { object: ApiObject; created: boolean } {
    if (stringAt(sent, 'kind') === undefined || stringAt(sent, 'apiVersion') === undefined) {
      const [group, version] = [stringAt(sent, 'apiVersion') ?? '/', stringAt(sent, 'kind') ?? ''];
      throw badRequest(`invalid object type: ${group}, Kind=${version}`);
    }
    const config = this.decode(place, sent, name);
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
    const next = this.#decodedFully(place, this.#merged(place, live, applied), live, options);
    const managedFields = applied.metadata.managedFields;
    const rows = managedFields === undefined ? {} : { managedFields };
    const object = { ...next, metadata: { ...next.metadata, ...rows } };
    return { object: this.#store(place, live, this.#prepared(place, object, live), options), created: false };
  }

  /** Deletes at once, or marks the object if finalizers hold it. */
  delete(place: WritePlace, name: string, options: DeleteOptions): Deleted {
    const live = this.get(place, name);
    const { uid, resourceVersion } = live.metadata;
    const kind = { group: place.info.group, resource: place.info.kind };
    const unmet = (what: string, wanted: string, found: string, maybe: string) =>
      conflict(
        kind,
        name,
        `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ${maybe}`,
      );
    if (options.uid !== undefined && options.uid !== uid) {
      throw unmet('UID', options.uid, uid, 'The object might have been deleted and then recreated');
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
      throw unmet('ResourceVersion', options.resourceVersion, resourceVersion, 'The object might have been modified');
    }
    const extra = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'], Background: [] }[
      options.propagation ?? 'Background'
    ];
    const marked = strategyOf(place.info).markDeleted?.(live);
    const finalizers = [...new Set([...((marked ?? live).metadata.finalizers ?? []), ...extra])];
    if (finalizers.length === 0 && marked === undefined) {
      if (!options.dryRun) this.cluster.storage.remove(keyOfResource(place.info), live);
      return { object: live, gone: true };
    }
    if (live.metadata.deletionTimestamp !== undefined && extra.length === 0) return { object: live, gone: false };
    return { object: this.#mark(place, marked ?? live, finalizers, options), gone: false };
  }

  #mark(place: WritePlace, live: ApiObject, finalizers: string[], options: DeleteOptions): ApiObject {
    const { generation, deletionTimestamp } = live.metadata;
    const inTwoSteps = strategyOf(place.info).markDeleted !== undefined;
    const object: ApiObject = {
      ...live,
      metadata: {
        ...live.metadata,
        deletionTimestamp: deletionTimestamp ?? timestamp(),
        ...(inTwoSteps ? {} : { deletionGracePeriodSeconds: 0 }),
        ...(finalizers.length === 0 ? {} : { finalizers }),
        ...(generation === undefined || deletionTimestamp !== undefined || inTwoSteps
          ? {}
          : { generation: generation + 1 }),
      },
    };
    return options.dryRun ? object : this.cluster.storage.put(keyOfResource(place.info), object);
  }

  /** Decodes the sent object. Refuses it if it names another object than the request. */
  decode(place: WritePlace, sent: unknown, name?: string): ApiObject {
    const { info, version } = place;
    const decoded = decodedObject(info, version, info.builtin ? omittedEmpty(sent) : sent);
    const { metadata } = decoded;
    if (name !== undefined && metadata.name !== '' && metadata.name !== name) {
      throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
    }
    if (metadata.namespace !== undefined && metadata.namespace !== place.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    return name === undefined ? decoded : { ...decoded, metadata: { ...metadata, name } };
  }

  #checkNamespace({ info, namespace }: WritePlace, object: ApiObject): void {
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

  #checkPreconditions({ info }: WritePlace, live: ApiObject, sent: ApiObject): void {
    const { name, resourceVersion, uid } = sent.metadata;
    if (uid && uid !== live.metadata.uid) {
      const key = `/registry/${info.resource}${storageKey(live.metadata.namespace, name).replace(/^(?!\/)/, '/')}`;
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
      throw conflict(
        info,
        name,
        `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
      );
    }
    if (resourceVersion && resourceVersion !== '0' && resourceVersion !== live.metadata.resourceVersion) {
      throw modifiedMeanwhile(info, name);
    }
  }

  /** Merges the part of the sent object that this endpoint may change over the stored object. */
  #merged({ info, subresource }: WritePlace, live: ApiObject, sent: ApiObject): ApiObject {
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

  /** Decodes an object: pruning and defaults. Faults of a schema are found here too, and refused. */
  #decodedFully(
    place: WritePlace,
    object: ApiObject,
    live: ApiObject | undefined,
    options: SimulatedWriteOptions,
  ): ApiObject {
    const { info, version } = place;
    const withDefaults = strategyOf(info).defaults?.(object) ?? object;
    if (info.checkSchema === undefined) return withDefaults;
    const verdict = info.checkSchema(version, withDefaults, live);
    options.warnings?.push(...verdict.warnings);
    this.#reportUnknown(place, verdict.unknownFields, options);
    const causes = [...metadataFaults(info, verdict.object.metadata), ...verdict.causes];
    if (causes.length > 0) throw invalid(info, object.metadata.name, causes);
    return verdict.object;
  }

  /** Sets the server's own fields; the object must be valid after that. */
  #prepared({ info }: WritePlace, object: ApiObject, live: ApiObject | undefined): ApiObject {
    const strategy = strategyOf(info);
    const prepared = strategy.prepare?.(object, live, this.cluster) ?? object;
    const causes = [...metadataFaults(info, prepared.metadata), ...(strategy.validate?.(prepared, live) ?? [])];
    if (causes.length > 0) throw invalid(info, object.metadata.name, causes);
    return live === undefined || !info.generation ? prepared : this.#withGeneration(info, live, prepared);
  }

  #reportUnknown({ info, version }: WritePlace, unknown: readonly string[], options: SimulatedWriteOptions): void {
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

  /** Writes the differences; deletes a marked object when its last finalizer goes. */
  #store(place: WritePlace, live: ApiObject, next: ApiObject, options: SimulatedWriteOptions): ApiObject {
    if (options.dryRun || equal(withoutFieldTimes(live), withoutFieldTimes(next))) return options.dryRun ? next : live;
    const key = keyOfResource(place.info);
    const unheld = (next.metadata.finalizers ?? []).length === 0 && strategyOf(place.info).held?.(next) !== true;
    if (next.metadata.deletionTimestamp !== undefined && unheld) {
      this.cluster.storage.remove(key, next);
      return next;
    }
    return this.cluster.storage.put(key, next);
  }

  #change({ info, version, subresource }: WritePlace, options: SimulatedWriteOptions): FieldChange {
    const apiVersion = info.group === '' ? version : `${info.group}/${version}`;
    const tracked = options.trackedAs ?? subresource;
    const sub = tracked === undefined ? {} : { subresource: tracked };
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

const withoutRows = (object: ApiObject): ApiObject => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as ApiObject;
};

/** Returns the managedFields of an update: the client's, or the stored ones if it sent none. */
function managed(sent: ApiObject, live: ApiObject): JsonObject {
  const { managedFields } = sent.metadata.managedFields === undefined ? live.metadata : sent.metadata;
  return managedFields === undefined ? {} : { managedFields };
}
