import { KINDS } from './kinds.js';

const KNOWN: ReadonlyMap<string, string> = new Map(Object.entries(KINDS).map(([kind, { plural }]) => [kind, plural]));

/** Returns the name in API paths of a kind that bundles may bring: all of them follow the rule. */
export function resourceOf(kind: string): string {
  const known = KNOWN.get(kind);
  if (known !== undefined) return known;
  const name = kind.toLowerCase();
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}
