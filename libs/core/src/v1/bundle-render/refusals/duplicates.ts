import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';

/** The names that come up more than once, each once, sorted. */
export function duplicates(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return [...twice].sort(byCodeUnit);
}
