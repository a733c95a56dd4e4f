import { olmStep, skippedNames } from '../graph/upgrade-edges.js';
import { byVersion } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import { fateOf } from './bundle-fate.js';
import { minorOf, newestPatch } from './z-stream.js';

/**
 * The next update of a bundle is an older one than before, though OLM could still take the one from before.
 */
type OlderUpdate = Readonly<{
  /** The update from before. The new channel still has it. */
  instead: Entry;
  /**
   * The next update is the newest release of the bundle's own minor version, and the newest of the
   * channel is still reached.
   */
  isZStream: boolean;
}>;

/**
 * Compares the next update of `entry` in both channels. Returns undefined if it is none, or as new as before.
 */
export function olderUpdate(entry: Entry, old: EntryGroup, now: EntryGroup): OlderUpdate | undefined {
  const [before, after] = [olmStep(old, entry), olmStep(now, entry)];
  if (before === 'stays' || after === 'stays' || 'unordered' in before || 'unordered' in after) return undefined;
  const instead = now.entries.find(({ name }) => name === before.entry.name);
  if (instead === undefined || skippedNames(now).has(instead.name)) return undefined;
  if (byVersion(after.entry, instead) >= 0) return undefined;
  return { instead, isZStream: isZStreamUpdate(entry, after.entry, now) };
}

/**
 * True if `to` is the newest release of its own minor version and the newest of the channel is reached from
 * it (why: command.md "Invariants of upgrade graphs").
 */
function isZStreamUpdate(from: Entry, to: Entry, now: EntryGroup): boolean {
  const minor = minorOf(from);
  if (minor === undefined || newestPatch(now, minor)?.name !== to.name) return false;
  return fateOf(from, now).outcome === 'newest';
}
