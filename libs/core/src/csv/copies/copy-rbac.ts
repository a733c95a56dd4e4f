import type { Action } from '../../actions/action.js';
import type { ClusterServiceVersion } from '../../api/cluster-service-version.js';
import { type KubernetesObject, refOf } from '../../api/kubernetes-object.js';
import { canonicalJson } from '../../canonical/canonical-json.js';
import { bindingOf, rulesOf } from '../../rbac/rbac-objects.js';
import { csvNamespace } from '../csv-facts.js';
import { csvOwnerLabels, hasLabels, nonBlockingOwner } from '../owner-labels.js';

const COMPONENT_LABEL_PREFIX = 'operators.coreos.com/';
const RBAC = 'rbac.authorization.k8s.io/v1';

type Rbac = Readonly<{ roles: readonly KubernetesObject[]; roleBindings: readonly KubernetesObject[] }>;

/**
 * The CSV's Roles and RoleBindings in the namespace of one of its copies, owned by the copy. Rules are kept in step,
 * bindings left as they are once made (spec: csv-lifecycle.md §6). The label of the Operator
 * object that gathers the original is copied along, as in OLM; a copy that was made before the original had it gets it later.
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
      return [
        { do: 'create', object: { apiVersion: RBAC, kind: 'Role', metadata: metadataFor(role, csv, copy), rules } },
      ];
    }
    const inStep = canonicalJson(rulesOf(live)) === canonicalJson(rules);
    const kept: Action[] = inStep ? [] : [{ do: 'update', object: { ...live, apiVersion: RBAC, kind: 'Role', rules } }];
    return [...kept, ...componentLabels(role, live, 'Role')];
  });
  const bindingActions = roleBindings.filter(owned).flatMap((binding): Action[] => {
    const content = bindingOf(binding);
    if (content === undefined) return [];
    const live = inTarget(roleBindings, binding.metadata.name);
    if (live !== undefined) return componentLabels(binding, live, 'RoleBinding');
    const { subjects, roleRef } = content;
    const metadata = metadataFor(binding, csv, copy);
    return [{ do: 'create', object: { apiVersion: RBAC, kind: 'RoleBinding', metadata, subjects, roleRef } }];
  });
  return [...roleActions, ...bindingActions];
}

/** Labels of Operator objects that the original has and its copy lacks. */
function componentLabels(original: KubernetesObject, live: KubernetesObject, kind: string): Action[] {
  const labels = Object.fromEntries(
    Object.entries(original.metadata.labels ?? {}).filter(
      ([key]) => key.startsWith(COMPONENT_LABEL_PREFIX) && live.metadata.labels?.[key] === undefined,
    ),
  );
  if (Object.keys(labels).length === 0 || live.metadata.labels?.['olm.copiedFrom'] === undefined) return [];
  return [{ do: 'patch', ref: refOf({ ...live, apiVersion: RBAC, kind }), patch: { metadata: { labels } } }];
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
