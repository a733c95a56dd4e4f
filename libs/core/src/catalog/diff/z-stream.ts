import { olmStep, skippedNames } from '../graph/upgrade-edges.js';
import { byVersion, type Installed, newestFirst } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';

/** Returns `major.minor` of a version. Returns undefined if there is none. */
export const minorOf = ({ version }: Installed): string | undefined =>
  version === undefined ? undefined : `${version.major}.${version.minor}`;

/**
 * Returns the newest release of a minor version that OLM may take; a skipped one is not meant to be reached.
 */
export function newestPatch(channel: EntryGroup, minor: string): Entry | undefined {
  const skipped = skippedNames(channel);
  return channel.entries
    .filter((entry) => minorOf(entry) === minor && !skipped.has(entry.name))
    .toSorted(newestFirst)[0];
}

/** True if the next update of `installed` is the newest release of its minor version, or one beyond it. */
export function goesToNewestPatch(channel: EntryGroup, installed: Installed, newest: Entry): boolean {
  if (byVersion(installed, newest) >= 0) return true;
  const step = olmStep(channel, installed);
  return typeof step === 'object' && 'entry' in step && byVersion(step.entry, newest) >= 0;
}

/**
 * Returns the minor versions that are z-streams: every older release updates to the newest of them at once
 * (why: command.md "Invariants of upgrade graphs"). The newest must have a skipRange or skip one of
 * them: a line of two releases alone is no z-stream.
 */
export function zStreamMinors(channel: EntryGroup): ReadonlySet<string> {
  const byMinor = Map.groupBy(channel.entries, (entry) => minorOf(entry) ?? '');
  const kept = [...byMinor].filter(([minor, entries]) => {
    const newest = newestPatch(channel, minor);
    if (newest === undefined) return false;
    const older = entries.filter((entry) => byVersion(entry, newest) < 0);
    const jumps = older.some(({ name }) => newest.skips.includes(name) || newest.skipRange !== undefined);
    return older.length > 0 && jumps && older.every((entry) => goesToNewestPatch(channel, entry, newest));
  });
  return new Set(kept.map(([minor]) => minor));
}
