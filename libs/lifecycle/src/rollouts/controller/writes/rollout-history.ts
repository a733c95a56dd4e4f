import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { rolloutsOverLimit } from '#core/rollout/status/history';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveFleet } from '../state/live-fleet.js';

/** A FleetCatalog has no `historyLimit`. */
const OF_CATALOGS = 10;

/** True if a FleetPlan has the name of its rollout and the beginning of its hash. */
const isPlanOf = (plan: string, rollout: string): boolean =>
  plan.startsWith(`${rollout}-`) && /^[0-9a-f]{12}$/.test(plan.slice(rollout.length + 1));

/** Deletes rollouts over the `historyLimit` of their FleetOperators, and their plans. Returns the names. */
export async function dropHistory(hub: KubeClient, fleet: LiveFleet): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const subject of fleet.files.subjects.values()) {
    const limit = fleet.operators.get(subject.key)?.spec.historyLimit ?? OF_CATALOGS;
    const { records } = fleet.rolloutsOf(subject.key);
    const history = records.map(({ spec, status }) => ({ name: spec.name, phase: status.phase }));
    gone.push(...rolloutsOverLimit(history, limit));
  }
  for (const rollout of gone) {
    const [namespace = '', name = ''] = rollout.split('/');
    await hub.delete({ apiVersion: FLEET_API, kind: 'FleetRollout', name, namespace });
    const plans = await hub.list({ apiVersion: FLEET_API, kind: 'FleetPlan' }, { namespace });
    for (const { metadata } of plans?.items ?? []) {
      if (!isPlanOf(metadata.name ?? '', name)) continue;
      await hub.delete({ apiVersion: FLEET_API, kind: 'FleetPlan', name: metadata.name ?? '', namespace });
    }
  }
  return gone;
}
