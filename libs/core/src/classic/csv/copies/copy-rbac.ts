import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvNamespace } from '../../../kernel/api/csv-facts.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels, nonBlockingOwner } from '../../../kernel/api/owner-labels.js';
import { sameJson } from '../../../kernel/canonical/same-json.js';
import { bindingOf, rulesOf } from '../../../kernel/rbac/rbac-objects.js';

type Rbac = Readonly<{ roles: readonly KubernetesObject[]; roleBindings: readonly KubernetesObject[] }>;

/**
 * The CSV's Roles and RoleBindings in the namespace of one of its copies, owned by the copy. Rules are kept
 * in step, bindings left as they are once made (spec: csv-lifecycle.md §6). The label of the Operator object
 * that gathers the original is copied along, as in OLM.
 */
export function copiedRbac(
  csv: ClusterServiceVersion,
  copy: ClusterServiceVersion,
  { roles, roleBindings }: Rbac,
): readonly Action[] {
  const namespace = csvNamespace(copy);
  const owned = (one: KubernetesObject) =>
    one.metadata.namespace === csvNamespace(csv) && hasLabels(one, csvOwnerLabels(csv));
  const inTarget = (list: readonly KubernetesObject[], name: string | undefined) =>
    list.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const roleActions = roles.filter(owned).flatMap((role): Action[] => {
    const live = inTarget(roles, role.metadata.name);
    const rules = rulesOf(role);
    if (live === undefined) {
      return [{ do: 'create', object: { ...KIND.Role, metadata: metadataFor(role, csv, copy), rules } }];
    }
    const inStep = sameJson(rulesOf(live), rules);
    return inStep ? [] : [{ do: 'update', object: { ...live, ...KIND.Role, rules } }];
  });
  const bindingActions = roleBindings.filter(owned).flatMap((binding): Action[] => {
    const content = bindingOf(binding);
    if (content === undefined || inTarget(roleBindings, binding.metadata.name) !== undefined) return [];
    const { subjects, roleRef } = content;
    const metadata = metadataFor(binding, csv, copy);
    return [{ do: 'create', object: { ...KIND.RoleBinding, metadata, subjects, roleRef } }];
  });
  return [...roleActions, ...bindingActions];
}

function metadataFor(
  original: KubernetesObject,
  csv: ClusterServiceVersion,
  copy: ClusterServiceVersion,
): KubernetesObject['metadata'] {
  return {
    name: original.metadata.name ?? '',
    namespace: csvNamespace(copy),
    labels: {
      ...original.metadata.labels,
      'olm.copiedFrom': csvNamespace(csv),
      'olm.owner.namespace': csvNamespace(copy),
    },
    ownerReferences: [nonBlockingOwner(copy)],
  };
}
