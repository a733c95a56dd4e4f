import { statSync } from 'node:fs';
import { FLEET_PLACE } from '#platform/config/fleet-place';
import { UsageError } from '../../../terminal/io.js';

const NAMES = 'name the folder of the fleet, or the context of its hub';
const IS_PATH = /^(\.{0,2}\/|\.{1,2}$)|\/$/;

/**
 * Reads the value of `--fleet`, as in FLOTILLA_FLEET: a folder that exists or is written as one, or a
 * context.
 * @throws UsageError if it names nothing, or a file
 */
export function fleetOption(text: string): string {
  if (text === '') throw new UsageError(`--fleet is empty: ${NAMES}`);
  if (FLEET_PLACE.test(text)) return text;
  const found = statSync(text, { throwIfNoEntry: false });
  if (found?.isFile() === true) throw new UsageError(`--fleet ${text}: is a file: ${NAMES} (context:${text})`);
  const isFolder = IS_PATH.test(text) || found?.isDirectory() === true;
  return `${isFolder ? 'dir' : 'context'}:${text}`;
}

/**
 * Returns the place that the option or FLOTILLA_FLEET names. Returns '' if neither is set.
 * @throws UsageError
 */
export function namedFleet(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const fleet = option ?? environment['FLOTILLA_FLEET'] ?? '';
  return option === undefined && fleet === '' ? '' : fleetOption(fleet);
}

/** Clusters join and leave a fleet in files with their files. @throws UsageError for a folder */
export function refuseFolder(fleet: string | undefined): void {
  if (fleet === undefined || !fleetOption(fleet).startsWith('dir:')) return;
  throw new UsageError(
    `--fleet ${fleet}: to add or remove clusters of a fleet in files, edit the files of FleetClusters`,
  );
}
