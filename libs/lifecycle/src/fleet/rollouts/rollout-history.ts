import { rolloutsOverLimit } from '#core/fleet/rollout/history';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveFleet } from './live-fleet.js';

/** Deletes the roll-outs over the `historyLimit` of their FleetOperators; returns their names. */
export async function dropHistory(hub: KubeClient, fleet: LiveFleet): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const subject of fleet.files.subjects.values()) {
    const limit = fleet.operators.get(subject.key)?.spec.historyLimit;
    if (limit === undefined) continue;
    const { records } = fleet.rolloutsOf(subject.key);
    const history = records.map(({ spec, status }) => ({ name: spec.name, phase: status.phase }));
    gone.push(...rolloutsOverLimit(history, limit));
  }
  for (const rollout of gone) {
    const [namespace, name = ''] = rollout.split('/');
    await hub.delete({ apiVersion: FLEET_API, kind: 'FleetRollout', name, namespace });
  }
  return gone;
}
