import { z } from 'zod';
import { BlobError } from '../../catalog/model/catalog-load.error.js';
import { parseYamlDocument } from '../../catalog/read/yaml/yaml-document.js';
import { KIND } from '../../kernel/api/kinds.js';
import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { Decoded } from '../../kernel/go-types/decoded.js';
import { schemaOf } from '../../kernel/go-types/typed-schema.js';
import { writtenTyped } from '../../kernel/go-types/write-typed.js';
import { isRecord, textAt } from '../../kernel/json/json-access.js';
import { readForeign } from '../../kernel/verdict/read-foreign.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import { ConfigMapCatalogError } from './configmap-catalog.error.js';

/** A package as the ConfigMap describes it: channels and the CSV each of them begins with. */
export type ConfigMapPackage = Readonly<{
  packageName: string;
  defaultChannel: string;
  channels: readonly Readonly<{ name: string; currentCSV: string }>[];
}>;

/** An item that cannot be read: its own name, if it has one, and the problem as one line. */
export type UnreadableItem = Readonly<{ name: string; problem: string; written: unknown }>;

/** The items of one key, in their order. */
type ListedItems<T> = Readonly<{ items: readonly T[]; unreadable: readonly UnreadableItem[] }>;

/** The lists under the three keys of a catalog's ConfigMap. */
export type ConfigMapLists = Readonly<{
  crds: ListedItems<KubernetesObject>;
  csvs: ListedItems<KubernetesObject>;
  packages: ListedItems<ConfigMapPackage>;
}>;

const ConfigMapPackage = schemaOf((value): Decoded<ConfigMapPackage> => {
  const read = writtenTyped<ConfigMapPackage & { channels: ConfigMapPackage['channels'] | null }>(
    'registry.PackageManifest',
    value,
  );
  if (!read.ok) return read;
  const { packageName, defaultChannel, channels } = read.value;
  if (packageName === '') return { ok: false, problems: [{ field: 'packageName', message: 'is missing' }] };
  return { ok: true, value: { packageName, defaultChannel, channels: channels ?? [] } };
});

/**
 * Reads the keys of a catalog's ConfigMap in the order of OLM's configmap-server, and stops at the first that
 * is missing or cannot be read. Throws {@link ConfigMapCatalogError} for a key that is missing or not a list.
 * An item that cannot be read is reported separately (why: catalogs.md "Listings lose one bundle"). The form:
 * why: catalogs.md "ConfigMap catalogs".
 */
export function readConfigMapLists(data: Readonly<Record<string, string>>): ConfigMapLists {
  return {
    crds: listAt(data, 'customResourceDefinitions', manifestOf(KIND.CustomResourceDefinition)),
    csvs: listAt(data, 'clusterServiceVersions', manifestOf(KIND.ClusterServiceVersion)),
    packages: listAt(data, 'packages', ConfigMapPackage),
  };
}

function listAt<T>(data: Readonly<Record<string, string>>, key: string, item: z.ZodType<T>): ListedItems<T> {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) throw new ConfigMapCatalogError(`couldn't find expected key ${key} in configmap`);
  const value = parsed(key, text) ?? [];
  if (!Array.isArray(value)) throw new ConfigMapCatalogError(`key ${key}: a list is expected ("- …" for each item)`);
  const items: T[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const [index, written] of value.entries()) {
    const read = readForeign(item, written);
    if ('value' in read) items.push(read.value);
    else {
      const name = textAt(written, 'metadata', 'name') || textAt(written, 'packageName');
      const place = `key ${key}, item ${index + 1}${name === '' ? '' : ` (${name})`}`;
      unreadable.push({ name, problem: verdictLine([place], read.problem), written });
    }
  }
  return { items, unreadable };
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
    (value) => (isRecord(value) ? { ...type, ...value } : value),
    KubernetesObject.refine(({ metadata }) => (metadata.name ?? '') !== '', 'metadata.name is missing').refine(
      ({ kind }) => kind === type.kind,
      `kind ${type.kind} is expected`,
    ),
  );
