import { inRange } from '../../kernel/versions/blang-range.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import type { Installed } from './upgrade-graph.js';

/** The field that makes an entry follow another one. */
export type EdgeKind = 'replaces' | 'skips' | 'skipRange';

/**
 * Returns the fields with which `entry` may directly follow the installed bundle, none if it may not (spec:
 * classic-resolution.md §6).
 */
export function edgeKinds(entry: Entry, installed: Installed): EdgeKind[] {
  const kinds: EdgeKind[] = [];
  if (entry.replaces === installed.name) kinds.push('replaces');
  if (entry.skips.includes(installed.name)) kinds.push('skips');
  const { version } = installed;
  if (entry.skipRange !== undefined && version !== undefined && inRange(version, entry.skipRange)) {
    kinds.push('skipRange');
  }
  return kinds;
}

/** OLM Classic's next step: it takes `entry`, or stays. `unordered` if the channel has no single order. */
type OlmStep = Readonly<{ entry: Entry }> | 'stays' | Readonly<{ unordered: string }>;

/**
 * Returns OLM Classic's next step in one channel: of the entries on the chain from the head that directly
 * follow the installed bundle, the first. So it is never a skipped entry (spec: classic-resolution.md §5.2,
 * §6) and never one with property `olm.deprecated` (§4). Dependencies are not checked.
 */
export function olmStep(channel: EntryGroup, installed: Installed): OlmStep {
  const ordered = channel.ordered();
  if ('error' in ordered) return { unordered: ordered.error };
  const next = ordered.entries.find((entry) => !entry.facts.deprecated && edgeKinds(entry, installed).length > 0);
  return next === undefined || next.name === installed.name ? 'stays' : { entry: next };
}

/** Names that some entry of the channel skips: OLM Classic never installs these. */
export const skippedNames = ({ entries }: EntryGroup): ReadonlySet<string> =>
  new Set(entries.flatMap(({ skips }) => skips));

/**
 * Returns the entry that OLM Classic takes for the newest of a channel: the head of its chain. Returns
 * undefined if the channel has no single head.
 */
export function headOf(channel: EntryGroup): Entry | undefined {
  const ordered = channel.ordered();
  return 'error' in ordered ? undefined : ordered.entries[0];
}
