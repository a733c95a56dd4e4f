import type { Action } from '../../../kernel/actions/action.js';
import { keepInStep } from '../../../kernel/actions/keep-in-step.js';
import type {
  ApiServiceDescription,
  ClusterServiceVersion,
  CrdDescription,
  PolicyRule,
} from '../../../kernel/api/cluster-service-version.js';
import { groupOfCrd, ownedApiServices, ownedCrds } from '../../../kernel/api/csv-facts.js';
import { CRD_GROUP, KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject, OwnerReference } from '../../../kernel/api/kubernetes-object.js';
import { MANAGED_LABEL } from '../../../kernel/api/owner-labels.js';
import { apiHash } from '../../../kernel/hashes/object-names.js';
import { apiServiceName } from '../serving/api-services.js';
import type { CsvWorld } from '../world/csv-world.js';

/** Name suffix, the role it aggregates to, and its verbs on the API; `crdview` is about the CRD itself. */
const KINDS = [
  { suffix: 'admin', aggregate: 'admin', verbs: ['*'] },
  { suffix: 'edit', aggregate: 'edit', verbs: ['create', 'update', 'patch', 'delete'] },
  { suffix: 'view', aggregate: 'view', verbs: ['get', 'list', 'watch'] },
  { suffix: 'crdview', aggregate: 'view', verbs: ['get'] },
] as const;

type Kind = (typeof KINDS)[number];

/** An API that the operator provides, and the object that its ClusterRoles live and die with. */
type Provided = Readonly<{
  name: string;
  group: string;
  version: string;
  kind: string;
  resource: string;
  owner: OwnerReference;
  kinds: readonly Kind[];
}>;

/**
 * Keeps the ClusterRoles of every provided CRD and APIService as they should be (spec: csv-lifecycle.md §6).
 */
export const providedApiClusterRoles = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  [...ownedCrds(csv).flatMap((crd) => ofCrd(crd, world)), ...ownedApiServices(csv).flatMap((api) => ofApi(api, world))]
    .flatMap((provided) => provided.kinds.map((kind) => clusterRole(provided, kind)))
    .flatMap((wanted) => {
      const live = world.clusterRoles.find(({ metadata }) => metadata.name === wanted.metadata.name);
      return keepInStep(live, wanted);
    });

function ofCrd({ name, version, kind }: CrdDescription, world: CsvWorld): Provided[] {
  const crd = world.crds.get(name);
  if (crd === undefined) return [];
  // The kind in lower case as OLM writes it: objects of both tools must compare equal.
  const owner = ownedBy(crd, KIND.CustomResourceDefinition.apiVersion, 'customresourcedefinition');
  const resource = name.slice(0, name.indexOf('.'));
  return [{ name, group: groupOfCrd(name), version, kind, resource, owner, kinds: KINDS }];
}

function ofApi({ name, group, version, kind }: ApiServiceDescription, world: CsvWorld): Provided[] {
  const apiService = world.apiServices.get(apiServiceName({ version, group }));
  if (apiService === undefined) return [];
  const owner = ownedBy(apiService, KIND.APIService.apiVersion, KIND.APIService.kind);
  const kinds = KINDS.filter(({ suffix }) => suffix !== 'crdview');
  return [{ name, group, version, kind, resource: name, owner, kinds }];
}

const ownedBy = ({ metadata }: KubernetesObject, apiVersion: string, kind: string): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  controller: false,
  blockOwnerDeletion: false,
});

function clusterRole(
  { name, group, version, kind, resource, owner }: Provided,
  { suffix, aggregate, verbs }: Kind,
): KubernetesObject {
  const rule: PolicyRule =
    suffix === 'crdview'
      ? {
          verbs: [...verbs],
          apiGroups: [CRD_GROUP],
          resources: ['customresourcedefinitions'],
          resourceNames: [name],
        }
      : { verbs: [...verbs], apiGroups: [group], resources: [resource] };
  return {
    ...KIND.ClusterRole,
    metadata: {
      name: `${name}-${version}-${suffix}`,
      labels: {
        [MANAGED_LABEL]: 'true',
        [`olm.opgroup.permissions/aggregate-to-${apiHash(kind, version, group)}-${aggregate}`]: 'true',
        [`rbac.authorization.k8s.io/aggregate-to-${aggregate}`]: 'true',
      },
      ownerReferences: [owner],
    },
    rules: [rule],
  };
}
