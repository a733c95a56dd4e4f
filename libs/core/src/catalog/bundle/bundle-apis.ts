import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { recordsAt, textAt } from '../../kernel/json/json-access.js';

/** An API as a bundle names it: group, version and kind, and the plural (for an APIService, its name). */
export type BundleApi = Readonly<{ group: string; version: string; kind: string; plural: string }>;

/**
 * Returns every version of every CRD among the manifests, served or not, and the APIServices the CSV owns,
 * sorted.
 */
export function providedApis(csv: KubernetesObject, objects: readonly KubernetesObject[]): BundleApi[] {
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition').flatMap(crdApis);
  return distinct([...crds, ...apiServices(csv, 'owned')]);
}

/**
 * Returns the CRDs and APIServices the CSV requires, sorted. CRDs with a name that is no `plural.group` are
 * in `unnamed`.
 */
export function requiredApis(csv: KubernetesObject): { apis: BundleApi[]; unnamed: string[] } {
  const { apis, unnamed } = csvCrds(csv, 'required');
  return { apis: distinct([...apis, ...apiServices(csv, 'required')]), unnamed };
}

/** Returns the CRDs that a CSV says it owns or requires. */
export function csvCrds(csv: KubernetesObject, which: 'owned' | 'required'): { apis: BundleApi[]; unnamed: string[] } {
  const apis: BundleApi[] = [];
  const unnamed: string[] = [];
  for (const crd of recordsAt(csv, 'spec', 'customresourcedefinitions', which)) {
    const name = textAt(crd, 'name');
    const dot = name.indexOf('.');
    if (dot < 0) unnamed.push(name);
    else
      apis.push({
        group: name.slice(dot + 1),
        version: textAt(crd, 'version'),
        kind: textAt(crd, 'kind'),
        plural: name.slice(0, dot),
      });
  }
  return { apis, unnamed };
}

function crdApis(crd: KubernetesObject): BundleApi[] {
  const names = recordsAt(crd, 'spec', 'versions').map((version) => textAt(version, 'name'));
  // Only apiextensions.k8s.io/v1beta1 has a single version beside the list.
  const single = textAt(crd, 'spec', 'version');
  const versions = single === '' || names.includes(single) ? names : [...names, single];
  const common = {
    group: textAt(crd, 'spec', 'group'),
    kind: textAt(crd, 'spec', 'names', 'kind'),
    plural: textAt(crd, 'spec', 'names', 'plural'),
  };
  return versions.map((version) => ({ ...common, version }));
}

const apiServices = (csv: KubernetesObject, which: 'owned' | 'required'): BundleApi[] =>
  recordsAt(csv, 'spec', 'apiservicedefinitions', which).map((api) => ({
    group: textAt(api, 'group'),
    version: textAt(api, 'version'),
    kind: textAt(api, 'kind'),
    plural: textAt(api, 'name'),
  }));

/** Returns `group/version/kind (plural)`, as opm prints it. */
export const describeApi = ({ group, version, kind, plural }: BundleApi): string =>
  `${group}/${version}/${kind} (${plural})`;

const sortKey = ({ group, version, kind, plural }: BundleApi): string => [group, version, kind, plural].join('\u0000');

function distinct(apis: readonly BundleApi[]): BundleApi[] {
  const byKey = new Map(apis.map((api) => [sortKey(api), api]));
  return [...byKey].sort(([a], [b]) => byCodeUnit(a, b)).map(([, api]) => api);
}
