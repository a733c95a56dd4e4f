import { z } from 'zod';
import { BlobError } from '../../catalog/model/catalog-load.error.js';
import { parseYamlDocument } from '../../catalog/read/yaml-document.js';
import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { ConfigMapCatalogError } from './configmap-catalog.error.js';

/** A package as the ConfigMap describes it: channels and the CSV each of them begins with. */
export type ConfigMapPackage = Readonly<{
  packageName: string;
  defaultChannel: string;
  channels: readonly Readonly<{ name: string; currentCSV: string }>[];
}>;

/** What the three keys of a catalog's ConfigMap list, in their order. */
export type ConfigMapLists = Readonly<{
  crds: readonly KubernetesObject[];
  csvs: readonly KubernetesObject[];
  packages: readonly ConfigMapPackage[];
}>;

const ConfigMapPackage = z
  .looseObject({
    packageName: z.string().min(1),
    defaultChannel: z.string().nullish(),
    channels: z.array(z.looseObject({ name: z.string(), currentCSV: z.string() })).nullish(),
  })
  .transform(
    ({ packageName, defaultChannel, channels }): ConfigMapPackage => ({
      packageName,
      defaultChannel: defaultChannel ?? '',
      channels: channels ?? [],
    }),
  );

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };

/**
 * Reads the keys of a catalog's ConfigMap in the order of OLM's configmap-server, which stops at the first
 * that is missing or cannot be read. Throws {@link ConfigMapCatalogError}. Source of the form: decision 0114.
 */
export function readConfigMapLists(data: Readonly<Record<string, string>>): ConfigMapLists {
  return {
    crds: listAt(data, 'customResourceDefinitions', manifestOf(CRD)),
    csvs: listAt(data, 'clusterServiceVersions', manifestOf(CSV)),
    packages: listAt(data, 'packages', ConfigMapPackage),
  };
}

function listAt<T>(data: Readonly<Record<string, string>>, key: string, item: z.ZodType<T>): readonly T[] {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) throw new ConfigMapCatalogError(`couldn't find expected key ${key} in configmap`);
  const value = parsed(key, text) ?? [];
  if (!Array.isArray(value)) throw new ConfigMapCatalogError(`key ${key}: a list is expected ("- …" for each item)`);
  return value.map((one: unknown, index) => {
    const read = item.safeParse(one);
    if (read.success) return read.data;
    const { path, message } = read.error.issues[0] ?? { path: [], message: 'unreadable' };
    throw new ConfigMapCatalogError(`key ${key}, item ${index + 1}: ${[...path.map(String), message].join(': ')}`);
  });
}

function parsed(key: string, text: string): unknown {
  try {
    return parseYamlDocument(text);
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new ConfigMapCatalogError(`key ${key}: ${error.olmText}`);
  }
}

/** The list's key implies the kind: configmap-server reads items that leave the kind out. */
const manifestOf = (type: Readonly<{ apiVersion: string; kind: string }>): z.ZodType<KubernetesObject> =>
  z.preprocess(
    (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...type, ...value } : value),
    KubernetesObject.refine(({ metadata }) => (metadata.name ?? '') !== '', 'metadata.name is missing').refine(
      ({ kind }) => kind === type.kind,
      `kind ${type.kind} is expected`,
    ),
  );
