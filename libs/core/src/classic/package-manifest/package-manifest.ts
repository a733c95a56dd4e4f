import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { KIND } from '../../kernel/api/kinds.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { compareVersions } from '../../kernel/versions/version.js';
import { type CsvDescription, describeCsv } from './csv-description.js';
import type { CatalogPackageContent, ChannelContent, ContentEntry } from './package-content.js';

export const PACKAGE_MANIFEST_API = KIND.PackageManifest;

type Deprecation = Readonly<{ message: string }>;
type Link = Readonly<{ name?: string; url?: string }>;

type PackageChannel = Readonly<{
  name: string;
  currentCSV: string;
  currentCSVDesc: CsvDescription;
  deprecation?: Deprecation;
  entries: readonly Readonly<{ name: string; version?: string; deprecation?: Deprecation }>[];
}>;

/** A package of a CatalogSource as OLM's package server shows it (spec: api-types.md §9); with icons. */
export type PackageManifest = Readonly<{
  apiVersion: typeof PACKAGE_MANIFEST_API.apiVersion;
  kind: typeof PACKAGE_MANIFEST_API.kind;
  metadata: Readonly<{
    name: string;
    namespace: string;
    labels: Readonly<Record<string, string>>;
    creationTimestamp: string | null;
  }>;
  spec: Readonly<Record<string, never>>;
  status: Readonly<{
    catalogSource: string;
    catalogSourceDisplayName: string;
    catalogSourcePublisher: string;
    catalogSourceNamespace: string;
    provider: Link;
    packageName: string;
    deprecation?: Deprecation;
    channels: readonly PackageChannel[];
    defaultChannel: string;
  }>;
}>;

type Described = Readonly<{
  channel: ChannelContent;
  description: CsvDescription;
  labels: Readonly<Record<string, string>>;
  csv: string;
}>;

/**
 * Returns the PackageManifest of one package (spec: catalog-sources.md §9). Channels are left out if their
 * head has no readable CSV. Undefined if none is left.
 */
export function packageManifest(content: CatalogPackageContent, source: CatalogSource): PackageManifest | undefined {
  const channels = content.channels.toSorted((a, b) => byCodeUnit(a.name, b.name)).flatMap(described);
  const [first] = channels;
  if (first === undefined) return undefined;
  const wanted = channels.find(({ channel }) => channel.name === content.defaultChannel);
  const isElided = wanted === undefined && content.channels.some(({ name }) => name === content.defaultChannel);
  const shown = wanted ?? first;
  const { namespace = '', name: catalog = '', creationTimestamp = null } = source.metadata;
  return {
    ...PACKAGE_MANIFEST_API,
    metadata: { name: content.name, namespace, labels: labelsOf(source, shown), creationTimestamp },
    spec: {},
    status: {
      catalogSource: catalog,
      catalogSourceDisplayName: source.spec.displayName ?? '',
      catalogSourcePublisher: source.spec.publisher ?? '',
      catalogSourceNamespace: namespace,
      provider: shown.description.provider,
      packageName: content.name,
      ...deprecated(content.deprecation),
      channels: channels.map(packageChannel),
      defaultChannel: isElided ? first.channel.name : content.defaultChannel,
    },
  };
}

function described(channel: ChannelContent): Described[] {
  const found = describeCsv(channel.csv);
  return found === undefined ? [] : [{ channel, ...found, csv: found.name }];
}

const packageChannel = ({ channel, description, csv }: Described): PackageChannel => ({
  name: channel.name,
  currentCSV: csv,
  currentCSVDesc: description,
  ...deprecated(channel.deprecation),
  entries: channel.entries.toSorted(newestFirst).map(({ name, version, deprecation }) => ({
    name,
    ...(version === '' ? {} : { version }),
    ...deprecated(deprecation),
  })),
});

const deprecated = (message: string | undefined) => (message === undefined ? {} : { deprecation: { message } });

/**
 * Orders entries newest first. Those without a readable version come last; equal versions are in order of
 * name.
 */
function newestFirst(a: ContentEntry, b: ContentEntry): number {
  const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
  if ('error' in left || 'error' in right) {
    return Number('error' in left) - Number('error' in right) || byCodeUnit(a.name, b.name);
  }
  return compareVersions(right, left) || byCodeUnit(a.name, b.name);
}

const OS = 'operatorframework.io/os';
const ARCH = 'operatorframework.io/arch';

/**
 * Merges the labels of the catalog, then of the package's origin, then of the CSV shown. Later ones override
 * earlier ones.
 */
function labelsOf({ metadata }: CatalogSource, { description, labels }: Described): Record<string, string> {
  const all: Record<string, string> = {
    ...metadata.labels,
    catalog: metadata.name ?? '',
    'catalog-namespace': metadata.namespace ?? '',
    provider: description.provider.name ?? '',
    'provider-url': description.provider.url ?? '',
    ...labels,
  };
  const says = (prefix: string) => Object.keys(all).some((key) => key.startsWith(prefix));
  const [needsOs, needsArch] = [!says(OS), !says(ARCH)];
  if (needsOs) all[`${OS}.linux`] = 'supported';
  if (needsArch) all[`${ARCH}.amd64`] = 'supported';
  return all;
}
