import { parseDuration } from '#platform/config/duration';
import { commandSettings } from '../../hub/command-settings.js';
import { type Io, UsageError } from '../../terminal/io.js';
import { refuseFolder } from '../fleet/hub/fleet-option.js';
import { fleetNamespace, hasHubApi } from '../fleet/hub/join-fleet.js';
import { leaveFleet, refuseUnknown } from '../fleet/hub/leave-fleet.js';
import { withHub } from '../fleet/hub/open-hub.js';
import { type LeaveOptions, leaveCluster } from './leave-cluster.js';

/**
 * Runs `flotilla clusters remove`. Removes the cluster from the fleet of a hub API if that has it, otherwise
 * from the file.
 */
export async function removeCluster(
  io: Io,
  { fleet, ...options }: LeaveOptions & Readonly<{ fleet?: string | undefined }>,
): Promise<void> {
  const settings = commandSettings(process.env);
  if (fleet === undefined && !hasHubApi(settings.fleet)) return leaveCluster(io, options);
  const withinMs = parseDuration(options.timeout);
  if (withinMs === undefined) {
    throw new UsageError(`invalid --timeout "${options.timeout}": expected a duration such as 30s`);
  }
  refuseFolder(fleet);
  const namespace = await fleetNamespace(settings, fleet);
  const isDone = await withHub(fleet === undefined ? {} : { fleet }, io, async (hub) => {
    if (await leaveFleet(io, hub, { ...options, namespace, withinMs })) return true;
    return fleet === undefined ? false : refuseUnknown(hub, options.name);
  });
  if (!isDone) await leaveCluster(io, options);
}
