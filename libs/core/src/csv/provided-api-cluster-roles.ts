import type { Action } from '../actions/action.js';
import type { ClusterServiceVersion, CrdDescription, PolicyRule } from '../api/cluster-service-version.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { apiHash } from '../hashes/object-names.js';
import { groupOfCrd, ownedCrds } from './csv-facts.js';
import type { CsvWorld } from './csv-world.js';
import { keepInStep } from './keep-in-step.js';
import { MANAGED_LABEL } from './owner-labels.js';

/** Name suffix, the role it aggregates to, and its verbs on the API; `crdview` is about the CRD itself. */
const KINDS = [
  { suffix: 'admin', aggregate: 'admin', verbs: ['*'] },
  { suffix: 'edit', aggregate: 'edit', verbs: ['create', 'update', 'patch', 'delete'] },
  { suffix: 'view', aggregate: 'view', verbs: ['get', 'list', 'watch'] },
  { suffix: 'crdview', aggregate: 'view', verbs: ['get'] },
] as const;

/** Keeps the four ClusterRoles of every provided CRD as they should be (spec: csv-lifecycle.md §6). */
export function providedApiClusterRoles(csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] {
  return ownedCrds(csv).flatMap((description) => {
    const crd = world.crds.get(description.name);
    if (crd === undefined) return [];
    return KINDS.flatMap((kind) => {
      const wanted = clusterRole(description, crd, kind);
      const live = world.clusterRoles.find(({ metadata }) => metadata.name === wanted.metadata.name);
      return keepInStep(live, wanted);
    });
  });
}

function clusterRole(
  { name, version, kind }: CrdDescription,
  crd: KubernetesObject,
  { suffix, aggregate, verbs }: (typeof KINDS)[number],
): KubernetesObject {
  const group = groupOfCrd(name);
  const rule: PolicyRule =
    suffix === 'crdview'
      ? {
          verbs: [...verbs],
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          resourceNames: [name],
        }
      : { verbs: [...verbs], apiGroups: [group], resources: [name.slice(0, name.indexOf('.'))] };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `${name}-${version}-${suffix}`,
      labels: {
        [MANAGED_LABEL]: 'true',
        [`olm.opgroup.permissions/aggregate-to-${apiHash(kind, version, group)}-${aggregate}`]: 'true',
        [`rbac.authorization.k8s.io/aggregate-to-${aggregate}`]: 'true',
      },
      ownerReferences: [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          // In lower case as OLM writes it: objects of both tools must compare equal.
          kind: 'customresourcedefinition',
          name,
          uid: crd.metadata.uid ?? '',
          controller: false,
          blockOwnerDeletion: false,
        },
      ],
    },
    rules: [rule],
  };
}
