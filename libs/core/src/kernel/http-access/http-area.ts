import { isLoopback } from './loopback.js';

/**
 * Parts of the hub's HTTP that may each ask for authentication. `/livez`, and whether a
 * service is ready, never do.
 */
export const HTTP_AREAS = ['content', 'packages', 'catalogs', 'metrics', 'health'] as const;
export type HttpArea = (typeof HTTP_AREAS)[number];

/** Value that the setting may have in addition to areas. */
export const HTTP_AREAS_AUTO = 'auto';
export const HTTP_AREAS_NONE = 'none';

/** Open to all clients that reach the port, as catalogd is, unless the setting names it. */
const OPEN_BY_DEFAULT: readonly HttpArea[] = ['catalogs'];

/**
 * Returns the areas that ask for authentication. `auto`: none if only this machine reaches the port, and
 * otherwise all but the content of ClusterCatalogs.
 */
export function authenticatedAreas(
  setting: readonly (HttpArea | typeof HTTP_AREAS_AUTO | typeof HTTP_AREAS_NONE)[],
  bindAddress: string,
): ReadonlySet<HttpArea> {
  const named = HTTP_AREAS.filter((area) => setting.includes(area));
  if (!setting.includes(HTTP_AREAS_AUTO) || isLoopback(bindAddress)) return new Set(named);
  return new Set([...named, ...HTTP_AREAS.filter((area) => !OPEN_BY_DEFAULT.includes(area))]);
}
