import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import type { CatalogChannel, ChannelEntry } from '../model/catalog.js';
import { ARCHETYPES, type Archetype, type ChannelKind, type SemverTemplate } from './semver-template.js';

/** A bundle's name and version within one archetype. */
export type VersionedBundle = Readonly<{ name: string; version: Version }>;

/**
 * The channels that a semver template generates in addition to the bundles. `defaultChannel` is empty if no
 * channel qualifies.
 */
type GeneratedChannels = Readonly<{ channels: CatalogChannel[]; defaultChannel: string }>;

/** A bundle's place in a channel. */
type Placed = Readonly<{ archetype: Archetype; kind: ChannelKind; channel: string; version: Version; name: string }>;

/** Generates the channels, their edges and the default channel (spec: file-based-catalogs.md §6.2, 4–6). */
export function generateChannels(
  packageName: string,
  { kinds, preference }: SemverTemplate,
  bundles: Readonly<Record<Archetype, readonly VersionedBundle[]>>,
): GeneratedChannels {
  const placed = ARCHETYPES.flatMap((archetype) =>
    kinds.flatMap((kind) =>
      bundles[archetype]
        .toSorted((a, b) => compareVersions(a.version, b.version))
        .map(({ name, version }) => ({
          ...{ archetype, kind, name, version },
          channel: channelName(archetype, kind, version),
        })),
    ),
  );
  const channels = new Map<string, ChannelEntry[]>();
  for (const [bundle, entry] of entriesOf(placed)) {
    const entries = channels.get(bundle.channel);
    if (entries) entries.push(entry);
    else channels.set(bundle.channel, [entry]);
  }
  return {
    channels: [...channels]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([name, entries]) => ({ schema: 'olm.channel', name, package: packageName, entries })),
    defaultChannel: defaultChannelOf(placed, preference),
  };
}

const channelName = (archetype: Archetype, kind: ChannelKind, { major, minor }: Version): string =>
  kind === 'major' ? `${archetype}-v${major}` : `${archetype}-v${major}.${minor}`;

/**
 * Returns entries with their edges. Within one archetype, kind and major version, the highest bundle of each
 * minor version replaces the highest of the minor version before. It skips all others before it; other
 * bundles have no edges.
 */
function entriesOf(placed: readonly Placed[]): [Placed, ChannelEntry][] {
  let before: string[] = [];
  let replaces: string | undefined;
  return placed.map((bundle, index) => {
    const previous = placed[index - 1];
    if (previous === undefined || !sameRun(previous, bundle)) {
      before = [];
      replaces = undefined;
    } else {
      before.push(previous.name);
      if (previous.version.minor !== bundle.version.minor) replaces = previous.name;
    }
    const next = placed[index + 1];
    const isTop = next === undefined || !sameRun(bundle, next) || next.version.minor !== bundle.version.minor;
    return [bundle, isTop ? topEntry(bundle.name, replaces, before) : { name: bundle.name }];
  });
}

const sameRun = (a: Placed, b: Placed): boolean =>
  a.archetype === b.archetype && a.kind === b.kind && a.version.major === b.version.major;

function topEntry(name: string, replaces: string | undefined, before: readonly string[]): ChannelEntry {
  const skips = before.filter((one) => one !== replaces).sort(byCodeUnit);
  return { name, ...(replaces !== undefined && { replaces }), ...(skips.length > 0 && { skips }) };
}

type Mark = Readonly<{ archetype: Archetype; kind?: ChannelKind; version: Version; channel: string }>;
const LOWEST: Mark = {
  archetype: 'candidate',
  version: { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] },
  channel: '',
};

/**
 * Returns the default channel. A channel counts with its lowest version, since that is the one it is made
 * for.
 */
function defaultChannelOf(placed: readonly Placed[], preference: ChannelKind): string {
  const seen = new Set<string>();
  let best = LOWEST;
  for (const mark of placed) {
    if (seen.has(mark.channel)) continue;
    seen.add(mark.channel);
    if (isBetter(mark, best, preference)) best = mark;
  }
  return best.channel;
}

/** True if `a` is the better default: more stable, then newer, then of the preferred kind, then minor. */
function isBetter(a: Mark, b: Mark, preference: ChannelKind): boolean {
  const stability = ARCHETYPES.indexOf(a.archetype) - ARCHETYPES.indexOf(b.archetype);
  if (stability !== 0) return stability > 0;
  const newer = compareVersions(a.version, b.version);
  if (newer !== 0) return newer > 0;
  if (a.kind === b.kind || b.kind === preference) return false;
  return a.kind === preference || a.kind === 'minor' || b.kind === undefined;
}
