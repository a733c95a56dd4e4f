import { statSync } from 'node:fs';
import { FLEET_PLACE } from '#platform/fleet/fleet-place';
import { UsageError } from '../io.js';

const IS_PATH = /^(\.{0,2}\/|\.{1,2}$)|\/$/;

/** What `--fleet` names, as FLOTILLA_FLEET has it: a folder that is there or written so, or a context. */
export function fleetOption(text: string): string {
  if (FLEET_PLACE.test(text)) return text;
  const isFolder = IS_PATH.test(text) || statSync(text, { throwIfNoEntry: false })?.isDirectory() === true;
  return `${isFolder ? 'dir' : 'context'}:${text}`;
}

/** Clusters join and leave a fleet in files with their files. @throws UsageError for a folder */
export function refuseFolder(fleet: string | undefined): void {
  if (fleet === undefined || !fleetOption(fleet).startsWith('dir:')) return;
  throw new UsageError(
    `--fleet ${fleet}: clusters join and leave a fleet in files with the file of their FleetCluster`,
  );
}
