import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';

/**
 * A note where the command and the hub are of releases that are not compatible, as node's dialect of semantic
 * versions reads a caret. Undefined where they are, or where one of the two is no version.
 */
export function versionSkew(command: string, hub: string): string | undefined {
  if (valid(command) === null || valid(hub) === null) return undefined;
  const fits = (version: string, of: string) => satisfies(version, `^${of}`, { includePrerelease: true });
  if (fits(command, hub) || fits(hub, command)) return undefined;
  return `releases ${command} and ${hub} are not compatible: use the command of the hub's release`;
}
