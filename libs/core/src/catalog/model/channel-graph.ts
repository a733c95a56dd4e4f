import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type { ChannelEntry } from './catalog.js';

/**
 * Returns the names of entries that no entry, itself included, names in `replaces` or `skips`; sorted. A
 * valid channel has one, its head.
 */
export function channelHeads(entries: readonly ChannelEntry[]): string[] {
  const named = new Set(entries.flatMap(({ replaces, skips }) => [...(replaces ? [replaces] : []), ...(skips ?? [])]));
  return entries
    .map(({ name }) => name)
    .filter((name) => !named.has(name))
    .sort(byCodeUnit);
}

/**
 * Returns the problem of a channel's upgrade graph, in opm's words, one finding at most. The graph needs one
 * head. The `replaces` chain from it must reach every entry that no other entry skips (spec:
 * file-based-catalogs.md §3.2).
 */
export function replacesChainProblem(entries: ReadonlyMap<string, ChannelEntry>): string | undefined {
  const list = [...entries.values()];
  const heads = channelHeads(list);
  const [head] = heads;
  if (head === undefined) return 'no channel head found in graph';
  if (heads.length > 1) return `multiple channel heads found in graph: ${heads.join(', ')}`;
  const skipped = new Set(list.flatMap(({ skips }) => skips ?? []));
  const chain = [head];
  const visited = new Set(chain);
  for (let at = entries.get(head); at !== undefined; ) {
    const next = at.replaces ?? '';
    if (skipped.has(next)) break;
    if (visited.has(next)) {
      const cycle = [...chain.slice(chain.indexOf(next)), next];
      return `detected cycle in replaces chain of upgrade graph: ${cycle.join(' -> ')}`;
    }
    visited.add(next);
    chain.push(next);
    at = entries.get(next);
  }
  const stranded = [...entries.keys()].filter((name) => !visited.has(name) && !skipped.has(name)).sort(byCodeUnit);
  if (stranded.length === 0) return undefined;
  return `channel contains one or more stranded bundles: ${stranded.join(', ')}`;
}
