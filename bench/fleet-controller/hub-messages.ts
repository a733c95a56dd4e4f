import type { RolloutStatus } from '../fleet-rollout/hub-api.js';

/** A request to the process of the hub API; it answers one after the other. */
export type HubRequest =
  /** Serves the hub API with so many FleetClusters; the answer is its kubeconfig. */
  | Readonly<{ do: 'start'; clusters: number }>
  | Readonly<{ do: 'apply'; kind: string; name: string; spec: object }>
  /** Catalogs in all clusters offer this bundle. */
  | Readonly<{ do: 'offer'; bundle: string }>
  | Readonly<{ do: 'read'; rollout: string }>;

export type HubReading = Readonly<{
  status: RolloutStatus;
  /** Clusters that have reported their planned install, or that they have it. */
  reported: number;
  /** Writes over HTTP, by author and kind; those of the Lease are left out. */
  writes: Readonly<Record<string, number>>;
  /** Reports that were written in the place of appliers. */
  reports: number;
}>;

export type HubAnswer = Readonly<{ kubeconfig: string }> | Readonly<{ done: true }> | HubReading;
