import { splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { type ApiObject, keyOf, type OwnerReference, storageKey } from '../objects/api-object.js';
import type { Change } from '../objects/storage.js';
import { keyOfResource } from '../resources/resource-registry.js';
import type { ClusterState } from '../state/cluster-state.js';
import { ObjectWriter } from '../store/object-writer.js';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

type Located = Readonly<{ resource: string; key: string }>;
type OwnerState = 'present' | 'absent' | 'unresolvable';

/**
 * Deletes objects if all their owners are gone, as Kubernetes' garbage collector does: later, by uid,
 * finalizers honoured.
 */
export class GarbageCollector {
  readonly #writer: ObjectWriter;
  readonly #dependents = new Map<string, Map<string, Located>>();

  constructor(readonly cluster: ClusterState) {
    this.#writer = new ObjectWriter(cluster);
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  #onChange({ type, resource, object, previous }: Change): void {
    const located = { resource, key: keyOf(object) };
    const id = `${resource}|${located.key}`;
    for (const owner of previous?.metadata.ownerReferences ?? []) this.#forget(owner.uid, id);
    if (type === 'DELETED') {
      const { uid } = object.metadata;
      if (this.#dependents.has(uid)) this.cluster.after(0, () => this.#collectDependents(uid));
      this.#releaseOwners(object);
      return;
    }
    for (const owner of object.metadata.ownerReferences ?? []) this.#remember(owner.uid, id, located);
    if (object.metadata.ownerReferences !== undefined) this.cluster.after(0, () => this.#collect(located));
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined && (finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN))) {
      this.cluster.after(0, () => this.#finalize(located));
    }
  }

  #remember(owner: string, id: string, located: Located): void {
    const known = this.#dependents.get(owner) ?? new Map<string, Located>();
    known.set(id, located);
    this.#dependents.set(owner, known);
  }

  #forget(owner: string, id: string): void {
    const known = this.#dependents.get(owner);
    known?.delete(id);
    if (known?.size === 0) this.#dependents.delete(owner);
  }

  #collectDependents(owner: string): void {
    for (const located of [...(this.#dependents.get(owner)?.values() ?? [])]) this.#collect(located);
  }

  #collect({ resource, key }: Located): void {
    const object = this.cluster.storage.get(resource, key);
    const owners = object?.metadata.ownerReferences ?? [];
    if (object === undefined || owners.length === 0) return;
    const states = owners.map((owner) => this.#stateOf(owner, object));
    if (!states.includes('absent')) return;
    if (states.every((state) => state === 'absent')) this.#delete(resource, object);
    else
      this.#keepOwners(
        resource,
        object,
        owners.filter((_, index) => states[index] !== 'absent'),
      );
  }

  #stateOf(owner: OwnerReference, dependent: ApiObject): OwnerState {
    const { group, version } = splitApiVersion(owner.apiVersion);
    const info = this.cluster.resources.byKind(group, version, owner.kind);
    if (info === undefined) return 'unresolvable';
    const { namespace } = dependent.metadata;
    if (info.namespaced && namespace === undefined) return 'unresolvable';
    const key = storageKey(info.namespaced ? namespace : undefined, owner.name);
    return this.cluster.storage.get(keyOfResource(info), key)?.metadata.uid === owner.uid ? 'present' : 'absent';
  }

  /** Foreground: the owner waits for its dependents. Orphan: they are released first. */
  #finalize({ resource, key }: Located): void {
    const owner = this.cluster.storage.get(resource, key);
    if (owner === undefined) return;
    const { uid, finalizers = [] } = owner.metadata;
    const dependents = [...(this.#dependents.get(uid)?.values() ?? [])];
    for (const located of dependents) {
      const object = this.cluster.storage.get(located.resource, located.key);
      if (object === undefined) continue;
      if (finalizers.includes(ORPHAN)) {
        const others = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
        this.#keepOwners(located.resource, object, others);
      } else this.#delete(located.resource, object);
    }
    if (!this.#dependents.has(uid)) this.#release(resource, owner);
  }

  #release(resource: string, owner: ApiObject): void {
    const kept = (owner.metadata.finalizers ?? []).filter((name) => name !== FOREGROUND && name !== ORPHAN);
    const { finalizers: _, ...metadata } = owner.metadata;
    const next = {
      ...owner,
      metadata: { ...metadata, ...(kept.length === 0 ? {} : { finalizers: kept }) },
    } as ApiObject;
    if (kept.length === 0) this.cluster.storage.remove(resource, next);
    else this.cluster.storage.put(resource, next);
  }

  /** A dependent is gone: an owner that waits for it in the foreground may be ready. */
  #releaseOwners(dependent: ApiObject): void {
    for (const owner of dependent.metadata.ownerReferences ?? []) {
      const { group, version } = splitApiVersion(owner.apiVersion);
      const info = this.cluster.resources.byKind(group, version, owner.kind);
      if (info === undefined) continue;
      const key = storageKey(info.namespaced ? dependent.metadata.namespace : undefined, owner.name);
      const found = this.cluster.storage.get(keyOfResource(info), key);
      const waits = found?.metadata.finalizers?.includes(FOREGROUND) && found.metadata.deletionTimestamp !== undefined;
      if (waits) this.cluster.after(0, () => this.#finalize({ resource: keyOfResource(info), key }));
    }
  }

  #keepOwners(resource: string, object: ApiObject, owners: readonly OwnerReference[]): void {
    const { ownerReferences: _, ...metadata } = object.metadata;
    const kept = owners.length === 0 ? metadata : { ...metadata, ownerReferences: [...owners] };
    this.cluster.storage.put(resource, { ...object, metadata: kept } as ApiObject);
  }

  #delete(resource: string, object: ApiObject): void {
    const info = this.cluster.resources.byKey(resource);
    const [version = ''] = info?.versions ?? [];
    const { namespace, name, uid, deletionTimestamp } = object.metadata;
    if (info !== undefined && deletionTimestamp === undefined)
      this.#writer.delete({ info, version, namespace }, name, { uid });
  }
}
