import { BundleError } from '../../catalog/bundle/bundle.error.js';
import { type BundleApi, csvCrds, describeApi, providedApis } from '../../catalog/bundle/bundle-apis.js';
import { requireOwnedCrds } from '../../catalog/bundle/read-bundle.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { ConfigMapLists, UnreadableItem } from './configmap-lists.js';

/** A CSV of the ConfigMap: with the CRDs it owns, or with the problem that keeps it from being a bundle. */
export type ListedCsv = Readonly<{ csv: unknown }> &
  (Readonly<{ objects: readonly KubernetesObject[] }> | Readonly<{ problem: string }>);

/**
 * The CSVs of the ConfigMap by name. A CSV is lost if it cannot be read or is listed twice. It is also lost
 * if a CRD that it owns cannot be read, is listed twice or is missing (why: catalogs.md "Listings lose one
 * bundle").
 */
export function listedCsvs({ crds, csvs }: Pick<ConfigMapLists, 'crds' | 'csvs'>): ReadonlyMap<string, ListedCsv> {
  const lost = lostApis(crds.items);
  const found = new Map<string, ListedCsv>();
  for (const { name, problem, written } of csvs.unreadable) found.set(name, { csv: written, problem });
  for (const csv of csvs.items) {
    const name = csv.metadata.name ?? '';
    const twice = found.has(name) ? { problem: `key clusterServiceVersions: ${name} is listed twice` } : undefined;
    found.set(name, { csv, ...(twice ?? bundleOf(csv, crds.items, lost, crds.unreadable)) });
  }
  found.delete('');
  return found;
}

/** APIs that several CRDs of the ConfigMap define. */
function lostApis(crds: readonly KubernetesObject[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const api of crds.flatMap((crd) => providedApis(crd, [crd]).map(describeApi))) {
    if (seen.has(api)) twice.add(api);
    seen.add(api);
  }
  return twice;
}

/** The CRDs of the ConfigMap that the CSV owns, each once however many of its versions are owned. */
function bundleOf(
  csv: KubernetesObject,
  crds: readonly KubernetesObject[],
  lost: ReadonlySet<string>,
  unreadable: readonly UnreadableItem[],
): Readonly<{ objects: readonly KubernetesObject[] }> | Readonly<{ problem: string }> {
  const owned = csvCrds(csv, 'owned').apis;
  const names = new Set(owned.map(describeApi));
  const twice = [...names].find((api) => lost.has(api));
  if (twice !== undefined) return { problem: `can't add the same CRD twice in one configmap: ${twice}` };
  const broken = unreadable.find(({ name }) => owned.some((api) => name === crdName(api)));
  if (broken !== undefined) return { problem: broken.problem };
  const found = crds.filter((crd) => providedApis(crd, [crd]).some((api) => names.has(describeApi(api))));
  try {
    requireOwnedCrds(csv, [csv, ...found]);
  } catch (error) {
    if (error instanceof BundleError) return { problem: error.olmText };
    throw error;
  }
  return { objects: [csv, ...found] };
}

const crdName = ({ plural, group }: BundleApi): string => `${plural}.${group}`;
