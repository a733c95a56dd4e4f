import type { AnyFleetKind } from '../../../kernel/api/fleet/fleet-kinds.js';
import { HUB_WRITTEN_KINDS } from './hub-kinds.js';
import { SHARED_FIELDS } from './shared-fields.js';
import { WRITTEN_KINDS } from './written-kinds.js';

const KINDS: Readonly<Record<AnyFleetKind, Readonly<Record<string, string>>>> = {
  ...WRITTEN_KINDS,
  ...HUB_WRITTEN_KINDS,
};

/** Ends of a path, the longest first: `a.b[].c`, `b[].c`, `c`. */
const endsOf = (path: string): string[] => {
  const parts = path.split('.');
  return parts.map((_, index) => parts.slice(index).join('.'));
};

/**
 * Returns the description of a field (`spec.waves[].soak`; the empty path is the kind itself), or undefined
 * if it has none.
 */
export function fieldDescription(kind: AnyFleetKind, path: string): string | undefined {
  const own = KINDS[kind];
  for (const end of endsOf(path)) {
    const found = own[end] ?? SHARED_FIELDS[end];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Paths that descriptions exist for, with the kind. */
export const describedPaths = (): readonly (readonly [kind: AnyFleetKind, path: string])[] =>
  (Object.keys(KINDS) as AnyFleetKind[]).flatMap((kind) =>
    Object.keys(KINDS[kind]).map((path) => [kind, path] as const),
  );
