import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';

/** The compatibility of the releases of a command and a hub, and a line about it. */
export type ReleaseFit = Readonly<{ fits: boolean; text: string }>;

/**
 * Returns the compatibility of command and hub, as node's dialect of semantic versions reads a caret. Returns
 * undefined if one of the two is no version.
 */
export function releaseFit(command: string, hub: string): ReleaseFit | undefined {
  if (valid(command) === null || valid(hub) === null) return undefined;
  const isWithin = (version: string, of: string) => satisfies(version, `^${of}`, { includePrerelease: true });
  const fits = isWithin(command, hub) || isWithin(hub, command);
  return {
    fits,
    text: fits
      ? 'yes: command and hub are of compatible releases'
      : `no: releases ${command} and ${hub} are not compatible: use the command of the hub's release`,
  };
}
