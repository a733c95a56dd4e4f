import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { CLEANUP } from '../kinds/custom-resource-definitions.strategy.js';
import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, equal, isObject, type JsonObject, objectAt, stringAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';
import { customResourceInfo, storageVersion } from '../resources/custom-resource-info.js';
import { type ClusterState, timestamp } from '../state/cluster-state.js';
import { ObjectWriter } from '../store/object-writer.js';
import { putStatus } from '../store/status-writer.js';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Serves the kinds of CustomResourceDefinitions, sets their status, and removes the objects of a deleted one.
 */
export class CustomResourcesController {
  readonly #writer: ObjectWriter;
  constructor(readonly cluster: ClusterState) {
    this.#writer = new ObjectWriter(cluster);
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  #onChange(change: Change): void {
    if (change.resource === CRDS) {
      this.cluster.after(0, () => this.#sync(change.object.metadata.name));
    } else if (change.type === 'DELETED' && this.cluster.resources.byKey(change.resource)?.builtin === false) {
      this.cluster.after(0, () => this.#sync(change.resource));
    }
  }

  #sync(name: string): void {
    const crd = this.cluster.storage.get(CRDS, `/${name}`);
    if (crd === undefined) this.#withdraw(name);
    else if (crd.metadata.deletionTimestamp !== undefined) this.#cleanUp(crd);
    else this.#establish(crd);
  }

  #establish(crd: ApiObject): void {
    this.cluster.resources.serve(customResourceInfo(crd));
    const status = establishedStatus(crd);
    if (!equal(status, crd.status)) putStatus(this.cluster, CRDS, crd, status, 'kube-apiserver');
  }

  #cleanUp(crd: ApiObject): void {
    const key = crd.metadata.name;
    if (!crd.metadata.finalizers?.includes(CLEANUP)) return;
    this.#deleteInstances(key);
    if (this.cluster.storage.list(key).length > 0) return;
    const finalizers = crd.metadata.finalizers.filter((finalizer) => finalizer !== CLEANUP);
    const next = { ...crd, metadata: { ...crd.metadata, finalizers } };
    if (finalizers.length === 0) this.cluster.storage.remove(CRDS, next);
    else this.cluster.storage.put(CRDS, next);
  }

  #deleteInstances(key: string): void {
    const info = this.cluster.resources.byKey(key);
    const [version = ''] = info?.versions ?? [];
    if (info === undefined) return;
    for (const { metadata } of this.cluster.storage.list(key)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      this.#writer.delete({ info, version, namespace: metadata.namespace }, metadata.name, {});
    }
  }

  #withdraw(key: string): void {
    this.cluster.resources.withdraw(key);
    this.cluster.storage.drop(key);
  }
}

function establishedStatus(crd: ApiObject): JsonObject {
  const spec = objectAt(crd, 'spec') ?? {};
  const names = objectAt(spec, 'names') ?? {};
  const kind = stringAt(names, 'kind') ?? '';
  const acceptedNames = { listKind: `${kind}List`, singular: kind.toLowerCase(), ...names };
  const stored = new Set(arrayAt(crd, 'status', 'storedVersions').map(String));
  stored.add(storageVersion(crd));
  return {
    conditions: [
      condition(crd, 'NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition(crd, 'Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames,
    storedVersions: [...stored].sort(byCodeUnit),
  };
}

function condition(crd: ApiObject, type: string, reason: string, message: string): JsonObject {
  const old = arrayAt(crd, 'status', 'conditions').find((entry) => isObject(entry) && entry.type === type);
  const since = isObject(old) && old.status === 'True' ? old.lastTransitionTime : timestamp();
  return { type, status: 'True', lastTransitionTime: since, reason, message };
}
