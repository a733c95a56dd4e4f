import { APPLIER, POLLER } from '#core/kernel/actions/field-managers';
import { openFleetHub, openSecretClusters } from '../fleet/open-fleet-hub.js';
import type { SecretClusters } from '../fleet/secret-clusters.js';
import type { Hub } from '../hub/hub.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ClusterRegistry } from '../membership/cluster-registry.js';
import { managedClusters } from './managed-clusters.js';
import { type OwnShards, ownShards } from './own-shards.js';

const FIELD_MANAGERS = { poller: POLLER, applier: APPLIER } as const;

type OpenedClusters = Readonly<{
  /** The hub API of the fleet. Undefined if the hub has no fleet. */
  fleetHub: KubeClient | undefined;
  secrets: SecretClusters | undefined;
  registry: ClusterRegistry;
  shards: OwnShards;
}>;

/**
 * Opens the clusters of a service, and the part of them that this process works for. A poller takes the login
 * for observation if a FleetCluster names one.
 */
export async function openServiceClusters(hub: Hub, service: 'poller' | 'applier'): Promise<OpenedClusters> {
  const { settings, clock, log, store } = hub;
  const fieldManager = FIELD_MANAGERS[service];
  const fleetHub = await openFleetHub(settings, { fieldManager });
  const secrets = await openSecretClusters(fleetHub, hub, service === 'poller');
  const parts = { fieldManagers: [fieldManager], clock, log, secrets, claims: store.claims };
  const registry = await managedClusters(settings, parts);
  return { fleetHub, secrets, registry, shards: ownShards(hub, service, registry.of(fieldManager)) };
}
