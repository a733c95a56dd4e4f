import type { GroupVersionKind } from '../../kernel/api/kubernetes-object.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import type { Version } from '../../kernel/versions/version.js';
import type { Property } from './catalog.js';
import { stringFields } from './property-value.js';

/** Facts that a bundle or installed CSV offers to others, read once from its properties. */
export type BundleFacts = Readonly<{
  apis: readonly GroupVersionKind[];
  /** {@link apiText} of each API, by its {@link apiKey}. */
  apiTexts: ReadonlyMap<string, string>;
  /** `olm.package` properties, in order. `version` is absent when it does not parse strictly. */
  packages: readonly Readonly<{ name: string; version?: Version }>[];
  /** The names of {@link packages}, each once. */
  packageNames: readonly string[];
  labels: readonly string[];
  /**
   * True if the bundle carries `olm.deprecated` with any value: never installed (spec: classic-resolution.md
   * §4).
   */
  deprecated: boolean;
}>;

/**
 * Reads the facts of a bundle. Values that do not decode are skipped, as OLM's predicates do (spec:
 * classic-resolution.md §5).
 */
export function bundleFacts(properties: readonly Property[]): BundleFacts {
  const values = (wanted: string) => properties.flatMap(({ type, value }) => (type === wanted ? [value] : []));
  const apis = new Map<string, GroupVersionKind>();
  for (const value of values('olm.gvk')) {
    const api = stringFields(value, ['group', 'version', 'kind']);
    if (api !== undefined) apis.set(apiKey(api), api);
  }
  const labels = values('olm.label').flatMap((value) => stringFields(value, ['label'])?.label ?? []);
  const packages = values('olm.package').flatMap((value) => packageFact(value) ?? []);
  return {
    apis: [...apis.values()],
    apiTexts: new Map([...apis].map(([key, api]) => [key, apiText(api)])),
    packages,
    packageNames: [...new Set(packages.map(({ name }) => name))],
    labels: [...new Set(labels)],
    deprecated: properties.some(({ type }) => type === 'olm.deprecated'),
  };
}

function packageFact(value: unknown): { name: string; version?: Version } | undefined {
  const fields = stringFields(value, ['packageName', 'version']);
  if (fields === undefined) return undefined;
  const version = parseVersion(fields.version);
  return 'error' in version ? { name: fields.packageName } : { name: fields.packageName, version };
}

/** Returns the key of an API in maps: no two APIs share it. */
export const apiKey = ({ group, version, kind }: GroupVersionKind): string => `${group}\u0000${version}\u0000${kind}`;

/** Returns `Kind (group/version)`, as OLM's messages write an API. */
export const apiText = ({ group, version, kind }: GroupVersionKind): string => `${kind} (${group}/${version})`;
