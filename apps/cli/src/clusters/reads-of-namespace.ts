import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { type KindRef, KubeApiError, type KubeClient, type ListOptions } from '#platform/kube/client/kube-client.port';
import type { ClusterReads } from '../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import { orRefusal, type Withheld, withheldCatalogs, withheldElsewhere } from './withheld.js';

/** Reads of a pass for a person. `withheld` has the refused reads; the answer continues without them. */
type ReadsOfNamespace = Readonly<{ reads: ClusterReads; withheld: readonly Withheld[] }>;

/**
 * Returns the reads of a person with rights in one namespace, perhaps in no other. Objects elsewhere are left
 * out if this login may not read them. `others`: true if OperatorGroups of other namespaces matter for the
 * answer.
 */
export function readsOfNamespace(client: KubeClient, namespace: string, others: boolean): ReadsOfNamespace {
  const withheld: Withheld[] = [];
  const listed = (kind: KindRef, options: ListOptions) => client.list<KubernetesObject>(kind, options);
  const groups = async (kind: KindRef, options: ListOptions) => {
    const all = others ? await orRefusal(listed(kind, options)) : await listed(kind, { ...options, namespace });
    if (!(all instanceof KubeApiError)) return all;
    withheld.push(withheldElsewhere('OperatorGroups of other namespaces', all));
    return listed(kind, { ...options, namespace });
  };
  const foreignCatalogs = async (kind: KindRef, options: ListOptions, where: string) => {
    const found = await orRefusal(listed(kind, options));
    if (!(found instanceof KubeApiError)) return found;
    withheld.push(withheldCatalogs(where, found));
    return undefined;
  };
  const list = (kind: KindRef, options: ListOptions) => {
    const where = options.namespace;
    if (where === undefined)
      return kind.kind === OPERATOR_GROUP_API.kind ? groups(kind, options) : listed(kind, options);
    const isForeign = kind.kind === CATALOG_SOURCE_API.kind && where !== namespace;
    return isForeign ? foreignCatalogs(kind, options, where) : listed(kind, options);
  };
  const reads = { list, get: (ref: ObjectRef) => client.get(ref), serverVersion: () => client.serverVersion() };
  return { withheld, reads };
}
