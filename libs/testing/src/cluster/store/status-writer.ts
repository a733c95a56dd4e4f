import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import { trackUpdate } from '../patches/field-managers.js';
import { type ClusterState, timestamp } from '../state/cluster-state.js';

/**
 * Stores an object's new status as a controller would: through /status, under the
 * controller's own field manager.
 */
export function putStatus(
  cluster: ClusterState,
  key: string,
  live: ApiObject,
  status: JsonObject,
  manager: string,
): void {
  const info = cluster.resources.byKey(key);
  const [version = ''] = info?.versions ?? [];
  if (info === undefined) return;
  const change = {
    manager,
    apiVersion: live.apiVersion,
    time: timestamp(),
    subresource: 'status',
    schema: info.mergeSchema(version),
    resetsStatus: true,
  };
  cluster.storage.put(key, trackUpdate(live, { ...live, status }, change));
}
