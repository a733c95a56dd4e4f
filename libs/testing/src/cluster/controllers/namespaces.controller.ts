import type { ApiObject } from '../objects/api-object.js';
import { arrayAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';
import type { ClusterState } from '../state/cluster-state.js';
import { ObjectWriter } from '../store/object-writer.js';

const AUTHORITY = 'kube-root-ca.crt';
const AS_CONTROLLER = { manager: 'kube-controller-manager' };

/** Gives a new namespace its service account and authority, and empties one that is being deleted. */
export class NamespacesController {
  readonly #writer: ObjectWriter;
  constructor(readonly cluster: ClusterState) {
    this.#writer = new ObjectWriter(cluster);
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  #onChange({ type, resource, object }: Change): void {
    const { name, namespace } = object.metadata;
    if (resource === 'namespaces' && type !== 'DELETED') this.cluster.after(0, () => this.#sync(name));
    else if (type === 'DELETED' && namespace !== undefined) {
      const terminating = this.cluster.namespace(namespace)?.metadata.deletionTimestamp !== undefined;
      const own = resource === 'serviceaccounts' || resource === 'configmaps';
      if (terminating || own) this.cluster.after(0, () => this.#sync(namespace));
    }
  }

  #sync(name: string): void {
    const namespace = this.cluster.namespace(name);
    if (namespace === undefined) return;
    if (namespace.metadata.deletionTimestamp === undefined) this.#furnish(name);
    else this.#empty(namespace);
  }

  #furnish(namespace: string): void {
    const [accounts, maps] = [
      this.cluster.resources.byKey('serviceaccounts'),
      this.cluster.resources.byKey('configmaps'),
    ];
    if (accounts === undefined || maps === undefined) return;
    if (this.cluster.storage.get('serviceaccounts', `${namespace}/default`) === undefined) {
      this.#writer.create(
        { info: accounts, version: 'v1', namespace },
        { metadata: { name: 'default' } },
        AS_CONTROLLER,
      );
    }
    if (this.cluster.storage.get('configmaps', `${namespace}/${AUTHORITY}`) === undefined) {
      const data = { 'ca.crt': this.cluster.settings.authorityPem };
      this.#writer.create(
        { info: maps, version: 'v1', namespace },
        { metadata: { name: AUTHORITY }, data },
        AS_CONTROLLER,
      );
    }
  }

  #empty(namespace: ApiObject): void {
    const { name } = namespace.metadata;
    const content = this.#content(name);
    for (const { resource, object } of content) {
      const info = this.cluster.resources.byKey(resource);
      const [version = ''] = info?.versions ?? [];
      if (info !== undefined) this.#writer.delete({ info, version, namespace: name }, object.metadata.name, {});
    }
    if (this.#content(name).length > 0) return;
    const current = this.cluster.namespace(name);
    if (current === undefined || arrayAt(current, 'spec', 'finalizers').length === 0) return;
    const emptied = { ...current, spec: { ...(current.spec as object), finalizers: [] } };
    if ((current.metadata.finalizers ?? []).length === 0) this.cluster.storage.remove('namespaces', emptied);
    else this.cluster.storage.put('namespaces', emptied);
  }

  #content(namespace: string): { resource: string; object: ApiObject }[] {
    const { storage } = this.cluster;
    return storage
      .resourcesInUse()
      .flatMap((resource) =>
        storage
          .list(resource)
          .flatMap((object) => (object.metadata.namespace === namespace ? [{ resource, object }] : [])),
      );
  }
}
