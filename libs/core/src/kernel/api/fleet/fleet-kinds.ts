import { FleetAssignment } from './fleet-assignment.js';
import { FleetCatalog } from './fleet-catalog.js';
import { FleetCluster } from './fleet-cluster.js';
import { FleetClusterSource } from './fleet-cluster-source.js';
import { FleetDecision } from './fleet-decision.js';
import { FleetNotification } from './fleet-notification.js';
import { FleetOperator } from './fleet-operator.js';
import { FleetPlan } from './fleet-plan.js';
import { FleetRollout } from './fleet-rollout.js';
import { FleetStrategy } from './fleet-strategy.js';
import { FleetWindow } from './fleet-window.js';

/** The kinds that people write. */
export const FLEET_KINDS = { FleetCluster, FleetCatalog, FleetOperator, FleetStrategy, FleetWindow } as const;
export type FleetKind = keyof typeof FLEET_KINDS;
export type FleetObject = FleetCluster | FleetCatalog | FleetOperator | FleetStrategy | FleetWindow;

/** Kinds that record decisions, or that the hub makes itself. */
export const HUB_KINDS = { FleetDecision, FleetRollout, FleetPlan, FleetAssignment } as const;
/** Kinds that people write for a hub API alone: they have no part in a rehearsal or in a fleet in files. */
export const API_KINDS = { FleetClusterSource, FleetNotification } as const;
/** Every kind of the fleet. */
export const ALL_FLEET_KINDS = { ...FLEET_KINDS, ...HUB_KINDS, ...API_KINDS } as const;
export type AnyFleetKind = keyof typeof ALL_FLEET_KINDS;

/** Returns `KIND/NAME`, or `KIND/NAMESPACE/NAME`. */
export function fleetKey({ kind, metadata }: FleetObject): string {
  const namespace = 'namespace' in metadata ? metadata.namespace : undefined;
  return namespace === undefined ? `${kind}/${metadata.name}` : `${kind}/${namespace}/${metadata.name}`;
}
