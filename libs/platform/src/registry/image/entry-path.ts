import type { Refuse } from './image-manifest.js';

const MAX_PATH = 4096;
const MAX_DEPTH = 255;

/**
 * A tar entry's name as path components below the image root, as container runtimes take it: a leading or
 * closing slash and `./` are dropped, `a/../b` is `b`. A name that climbs above the root is refused, as is
 * one with a NUL.
 */
export function entryPath(name: string, refuse: Refuse): readonly string[] {
  if (name.length > MAX_PATH) throw refuse('UnsafePath', `a layer has an entry name of ${name.length} characters`);
  if (name.includes('\0')) throw refuse('UnsafePath', `layer entry ${JSON.stringify(name)} has a NUL in its path`);
  const parts = normalized(name);
  if (parts === undefined) throw refuse('UnsafePath', `layer entry "${name}" climbs out of the image with ".."`);
  if (parts.length > MAX_DEPTH) throw refuse('TooLarge', `a layer has an entry ${parts.length} directories deep`);
  return parts;
}

/** The components of a path from the image root. Returns undefined if it climbs above the root. */
export function normalized(path: string): readonly string[] | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts;
}

/**
 * Where a symbolic link at `link` points, as components below the image root. An absolute target starts at
 * the image root, as in a container; a relative one that climbs above the root is refused.
 */
export function linkTarget(link: readonly string[], target: string, refuse: Refuse): readonly string[] {
  if (target.length > MAX_PATH) throw refuse('UnsafePath', `link "${link.join('/')}" has an overlong target`);
  const result = target.startsWith('/') ? [] : link.slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') result.push(part);
    else if (result.pop() === undefined && !target.startsWith('/')) {
      throw refuse('UnsafePath', `link "${link.join('/')}" points out of the image to "${target}"`);
    }
  }
  return result;
}
