import { inRange } from '../../kernel/versions/blang-range.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import { compareVersions, formatVersion, type Version } from '../../kernel/versions/version.js';
import type { Installed } from '../graph/upgrade-graph.js';
import { newestFirst, type UpgradeGraph, versionText } from '../graph/upgrade-graph.js';
import type { Entry } from '../model/entry.js';

/**
 * The meaning of a version or bundle name in a package. `assumed`: the catalog has no such bundle, but edges
 * lead on from it.
 */
export type Point =
  | Readonly<{ kind: 'found'; installed: Installed; assumed: boolean }>
  | Readonly<{ kind: 'ambiguous'; names: readonly string[] }>
  | Readonly<{ kind: 'unknown'; known: readonly string[] }>;

/** Returns the bundle of that name, or of that version (a leading `v` does not matter). */
export function findBundle({ record, channels }: UpgradeGraph, text: string): Point {
  const entries = distinct(channels.flatMap((channel) => channel.entries));
  const wanted = parseTolerant(text);
  const byName = entries.filter(({ name }) => name === text);
  const found =
    byName.length > 0 || 'error' in wanted
      ? byName
      : entries.filter(({ version }) => version !== undefined && sameVersion(version, wanted));
  const [first] = found;
  if (first === undefined) {
    const sorted = entries.toSorted(newestFirst);
    return { kind: 'unknown', known: [...new Set(sorted.map(versionText))] };
  }
  if (found.length > 1) return { kind: 'ambiguous', names: found.map(({ name }) => name) };
  return {
    kind: 'found',
    installed: { name: first.name, version: first.version ?? versionIn(first.name, record.name) },
    assumed: false,
  };
}

/**
 * Finds an installed bundle, as {@link findBundle} does. A bundle that has left the catalog counts too, if an
 * entry still replaces or skips it by name, or a skipRange still holds its version.
 */
export function findInstalled(graph: UpgradeGraph, text: string): Point {
  const found = findBundle(graph, text);
  if (found.kind !== 'unknown') return found;
  const packageName = graph.record.name;
  const version = versionIn(text, packageName);
  const conventional = version === undefined ? text : `${packageName}.v${formatVersion(version)}`;
  const name = text.startsWith(packageName) ? text : conventional;
  const leadsOn = graph.channels
    .flatMap(({ entries }) => entries)
    .some(
      ({ replaces, skips, skipRange }) =>
        replaces === name ||
        skips.includes(name) ||
        (skipRange !== undefined && version !== undefined && inRange(version, skipRange)),
    );
  return leadsOn ? { kind: 'found', installed: { name, version }, assumed: true } : found;
}

/**
 * Returns the version that a text is, or that a bundle name ends in: `1.2.3`, `v1.2.3`, `<package>.v1.2.3`.
 */
function versionIn(text: string, packageName: string): Version | undefined {
  const tail = text.startsWith(packageName) ? text.slice(packageName.length).replace(/^[.-]/, '') : text;
  const version = parseTolerant(tail);
  return 'error' in version ? undefined : version;
}

const sameVersion = (a: Version, b: Version): boolean =>
  compareVersions(a, b) === 0 && (b.build.length === 0 || a.build.join('.') === b.build.join('.'));

const distinct = (entries: readonly Entry[]): Entry[] => [
  ...new Map(entries.map((entry) => [entry.name, entry])).values(),
];
