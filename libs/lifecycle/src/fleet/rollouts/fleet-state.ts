import type { z } from 'zod';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '#core/fleet/kinds/fleet-kinds';
import type { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import type { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import type { FleetStrategy } from '#core/kernel/api/fleet/fleet-strategy';
import type { FleetWindow } from '#core/kernel/api/fleet/fleet-window';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** The objects of the hub API that a pass of the controller reads, the older ones first. */
export type FleetState = Readonly<{
  clusters: readonly FleetCluster[];
  catalogs: readonly FleetCatalog[];
  operators: readonly FleetOperator[];
  strategies: readonly FleetStrategy[];
  windows: readonly FleetWindow[];
  decisions: readonly FleetDecision[];
  rollouts: readonly FleetRollout[];
  assignments: readonly FleetAssignment[];
  /** Objects that do not follow their schema; they are left out. */
  invalid: readonly string[];
}>;

const createdAt = ({ metadata }: Readonly<{ metadata: object }>): string => {
  const { creationTimestamp, name } = metadata as Readonly<{ creationTimestamp?: string; name?: string }>;
  return `${creationTimestamp ?? ''} ${name ?? ''}`;
};

/** Reads every fleet object of the hub API. */
export async function readFleetState(hub: KubeClient): Promise<FleetState> {
  const invalid: string[] = [];
  async function all<K extends AnyFleetKind>(kind: K): Promise<z.infer<(typeof ALL_FLEET_KINDS)[K]>[]> {
    const list = await hub.list({ apiVersion: FLEET_API, kind });
    const read = (list?.items ?? []).flatMap((item) => {
      // Items of a list do not name their kind everywhere.
      const parsed = ALL_FLEET_KINDS[kind].safeParse({ ...item, apiVersion: FLEET_API, kind });
      if (parsed.success) return [parsed.data as z.infer<(typeof ALL_FLEET_KINDS)[K]>];
      invalid.push(`${kind} ${item.metadata.namespace ?? ''}/${item.metadata.name ?? ''}`);
      return [];
    });
    return read.sort((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1));
  }
  const [clusters, catalogs, operators, strategies] = await Promise.all([
    all('FleetCluster'),
    all('FleetCatalog'),
    all('FleetOperator'),
    all('FleetStrategy'),
  ]);
  const [windows, decisions, rollouts, assignments] = await Promise.all([
    all('FleetWindow'),
    all('FleetDecision'),
    all('FleetRollout'),
    all('FleetAssignment'),
  ]);
  return { clusters, catalogs, operators, strategies, windows, decisions, rollouts, assignments, invalid };
}
