import { readFile } from 'node:fs/promises';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** The place of the fleet's objects: the API server of a context or of the hub's own cluster, or a folder. */
export type FleetPlace = Readonly<
  { in: 'context'; context: string } | { in: 'cluster' } | { in: 'folder'; path: string }
>;

/** A place of FLOTILLA_FLEET that services cannot use. */
export class FleetPlaceError extends FlotillaError {
  readonly code = 'FleetPlaceError';
  readonly retry: Retry = 'when-input-changes';
}

const CONTEXT = 'context:';
const FOLDER = 'dir:';

/** Values that FLOTILLA_FLEET may have. */
export const FLEET_PLACE = /^$|^in-cluster$|^(context|dir):.+$/;

/**
 * Returns the place that FLOTILLA_FLEET names. Returns undefined if it is empty: there is no fleet then.
 *
 * @throws FleetPlaceError if the text is no place
 */
export function fleetPlace(text: string): FleetPlace | undefined {
  if (text === '') return undefined;
  if (text === 'in-cluster') return { in: 'cluster' };
  if (text.startsWith(CONTEXT)) return { in: 'context', context: text.slice(CONTEXT.length) };
  if (text.startsWith(FOLDER)) return { in: 'folder', path: text.slice(FOLDER.length) };
  throw new FleetPlaceError(`FLOTILLA_FLEET is "${text}": it must be context:NAME, in-cluster or dir:PATH`);
}

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Returns the namespace of the hub in the hub API: that of its pods, otherwise the one of the settings. */
export async function hubNamespace({
  fleet,
  systemNamespace,
}: Readonly<{ fleet: string; systemNamespace: string }>): Promise<string> {
  return fleetPlace(fleet)?.in === 'cluster' ? (await readFile(NAMESPACE_FILE, 'utf8')).trim() : systemNamespace;
}
