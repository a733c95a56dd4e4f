import type { CorpusCase } from '../corpus-case.js';
import type { CommandEnd } from './commands.js';
import { type Finding, finding } from './finding.js';
import { crash } from './judge-commands.js';

type Named = Readonly<{ kind?: unknown; metadata?: Readonly<{ name?: unknown }> }>;

const keyOf = ({ kind, metadata }: Named): string => `${kind} ${metadata?.name}`;

/**
 * `bundle render`, what OLM v1 makes of a bundle: every object that it brings beside its CSV, or why not.
 * OLM v1 refuses other bundles than OLM Classic.
 */
export function judgeExtension(of: CorpusCase, end: CommandEnd): Finding[] {
  const at = 'bundle render';
  const found = crash(of, at, end);
  if (found.length > 0) return found;
  if (end.exit !== 0) return end.err === '' ? [finding(of, 'silence', at, 'refused without a word')] : [];
  const rendered = new Set((JSON.parse(end.out) as { items: Named[] }).items.map(keyOf));
  return of.draft.manifests.flatMap(({ path, tree, fate }) => {
    if (fate !== 'applied' || tree['kind'] === 'ClusterServiceVersion') return [];
    const missing = !rendered.has(keyOf(tree as Named));
    return missing ? [finding(of, 'objects', at, `${path} is not among the objects`)] : [];
  });
}
