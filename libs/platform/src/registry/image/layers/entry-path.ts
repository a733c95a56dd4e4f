import type { Refuse } from '../../client/image-manifest.js';

/** Characters of a name or of a link's target: no file system takes longer ones. */
const MAX_PATH = 4096;
/** Directories of a path, and of a link's target. */
export const MAX_DEPTH = 255;
/** Characters of a foreign name that an error shows. */
const SHOWN = 80;

/**
 * A tar entry's name as a path below the image root, as container runtimes take it: a leading or closing
 * slash and `./` are dropped, `a/../b` is `b`; the root is an empty path. A name that climbs above the root
 * is refused, as is one with a NUL.
 */
export function entryPath(name: string, refuse: Refuse): string {
  if (name.length > MAX_PATH) throw refuse('UnsafePath', `a layer has an entry name of ${name.length} characters`);
  if (name.includes('\0'))
    throw refuse('UnsafePath', `layer entry ${JSON.stringify(shown(name))} has a NUL in its path`);
  const path = normalized(name);
  if (path === undefined) throw refuse('UnsafePath', `layer entry "${shown(name)}" climbs out of the image with ".."`);
  const depth = depthOf(path);
  if (depth > MAX_DEPTH) throw refuse('TooLarge', `a layer has an entry ${depth} directories deep`);
  return path;
}

/**
 * Returns the target of a hard link. The link names it from the image root, with or without a leading slash.
 */
export function hardLinkTarget(link: string, target: string, refuse: Refuse): string {
  checkTarget(link, target, refuse);
  const path = normalized(target);
  if (path !== undefined) return path;
  throw refuse('UnsafePath', `hard link "${shown(link)}" points out of the image to "${shown(target)}"`);
}

/** Refuses the target of a link that no file system would take, whether the link is followed or not. */
export function checkTarget(link: string, target: string, refuse: Refuse): void {
  const { length } = target;
  if (length > MAX_PATH) {
    throw refuse('UnsafePath', `link "${shown(link)}" has an overlong target of ${length} characters`);
  }
  // Counted exactly only if there are so many slashes.
  if (slashesOf(target) < MAX_DEPTH) return;
  const depth = target.split('/').filter(isName).length;
  if (depth <= MAX_DEPTH) return;
  throw refuse('TooLarge', `link "${shown(link)}" has a target ${depth} directories deep`);
}

/**
 * Returns the path below the image root that a symbolic link at `link` points to. An absolute target starts
 * at the image root, as in a container; a relative one that climbs above the root is refused.
 */
export function linkTarget(link: string, target: string, refuse: Refuse): string {
  checkTarget(link, target, refuse);
  const isAbsolute = target.startsWith('/');
  const parts = isAbsolute ? [] : link.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined && !isAbsolute) {
      throw refuse('UnsafePath', `link "${shown(link)}" points out of the image to "${shown(target)}"`);
    }
  }
  return parts.join('/');
}

/** The beginning of a foreign name, for an error. */
export const shown = (name: string): string => (name.length <= SHOWN ? name : `${name.slice(0, SHOWN)}…`);

const isName = (part: string): boolean => part !== '' && part !== '.' && part !== '..';
const depthOf = (path: string): number => (path === '' ? 0 : slashesOf(path) + 1);

function slashesOf(path: string): number {
  let count = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count += 1;
  return count;
}

/** Parts that say nothing, or lead up: slashes at an end or side by side, `.` and `..`. */
const TO_NORMALIZE = /^\/|\/$|\/\/|(?:^|\/)\.\.?(?:\/|$)/;

/** A path from the image root. Returns undefined if it climbs above the root. */
function normalized(path: string): string | undefined {
  if (!TO_NORMALIZE.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
