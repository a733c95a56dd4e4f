import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Entry } from './entry.js';

type Ordered = Readonly<{ entries: readonly Entry[] }> | Readonly<{ error: string }>;
type Edges = Readonly<{ next: ReadonlyMap<string, Entry>; below: ReadonlySet<string>; skipped: ReadonlySet<string> }>;

/**
 * Returns the entries of one package and channel, best first: the walk along `replaces` from the only head,
 * without skipped ones (spec: classic-resolution.md §5.2). Returns an error when the set has no single chain.
 */
export function chainOrder(entries: readonly Entry[]): Ordered {
  const [first] = entries;
  if (first === undefined) return { entries: [] };
  const edges = edgesOf(entries);
  const heads = entries.filter(({ name }) => !edges.below.has(name));
  if (heads.length === 0) {
    return { error: `no channel heads (entries not replaced by another entry) found in ${groupOf(first)}` };
  }
  const chains: (readonly Entry[])[] = [];
  for (const head of heads) {
    const chain = walk(head, edges);
    if (chain === 'cycle') {
      const beginning = `beginning with ${goQuote(head.name)} in ${groupOf(first)}`;
      return { error: `a cycle exists in the chain of replacement ${beginning}` };
    }
    chains.push(chain);
  }
  const [only, ...others] = chains;
  return only !== undefined && others.length === 0 ? { entries: only } : severalChains(chains, groupOf(first));
}

const groupOf = (entry: Entry): string => `channel ${goQuote(entry.channel)} of package ${goQuote(entry.package)}`;

function edgesOf(entries: readonly Entry[]): Edges {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const next = new Map<string, Entry>();
  const below = new Set<string>();
  const skipped = new Set<string>();
  for (const { name, replaces, skips } of entries) {
    const replaced = replaces === '' ? undefined : byName.get(replaces);
    if (replaced !== undefined) {
      next.set(name, replaced);
      below.add(replaced.name);
    }
    for (const skip of skips) {
      if (!byName.has(skip)) continue;
      below.add(skip);
      skipped.add(skip);
    }
  }
  return { next, below, skipped };
}

function walk(head: Entry, { next, skipped }: Edges): readonly Entry[] | 'cycle' {
  const chain: Entry[] = [];
  const visited = new Set<string>();
  for (let current: Entry | undefined = head; current !== undefined; current = next.get(current.name)) {
    if (visited.has(current.name)) return 'cycle';
    visited.add(current.name);
    if (!skipped.has(current.name)) chain.push(current);
  }
  return chain;
}

function severalChains(chains: readonly (readonly Entry[])[], where: string): Ordered {
  const texts = chains
    .map((chain) => {
      const [from, to] = [chain[0]?.name, chain.at(-1)?.name];
      return from === undefined ? '[]' : from === to ? from : `${from}...${to}`;
    })
    .sort(byCodeUnit);
  return {
    error: `a unique replacement chain within a channel is required to determine the relative order between channel entries, but ${chains.length} replacement chains were found in ${where}: ${texts.join(', ')}`,
  };
}
