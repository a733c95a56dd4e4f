import type { StoredObject } from '#testing/cluster/simulated-cluster';
import type { Trouble } from '../isolation/troubles.js';
import type { Edition } from '../lifecycle/operator-images.js';

/** The later trouble of the only cluster of a process; a wide cluster has its namespaces from the start. */
export type Troubled = Readonly<{ trouble: Trouble; namespaces: number }>;

/** A request to a process of simulated clusters. */
export type ClustersRequest =
  /** Simulates these clusters; the answer is their kubeconfig. */
  | Readonly<{ do: 'start'; clusters: readonly string[]; bare: boolean; troubled?: Troubled | undefined }>
  /** Begins the trouble; does nothing in healthy clusters. */
  | Readonly<{ do: 'trouble'; groups: number }>
  /** Namespaces, OperatorGroups and a CatalogSource in each cluster. */
  | Readonly<{ do: 'prepare'; operators: readonly string[]; image: string }>
  /** A Subscription to each operator in each cluster. */
  | Readonly<{ do: 'subscribe'; approval?: 'Manual' }>
  /** The CatalogSource of each cluster gets this image. */
  | Readonly<{ do: 'offer'; image: string }>
  /** Those of these clusters that are in the process answer no request from now on, all others do. */
  | Readonly<{ do: 'away'; clusters: readonly string[] }>
  /** Everything that the first cluster stores. */
  | Readonly<{ do: 'dump' }>
  /** Each cluster stores these objects, left by an install of the operators in another one. */
  | Readonly<{ do: 'restore'; operators: readonly string[]; objects: readonly StoredObject[] }>
  | Readonly<{ do: 'count' }>
  | Readonly<{ do: 'check'; edition: Edition }>;

/** Progress of a cluster: its catalog is READY, all operators of an edition have Succeeded. */
export type FleetMilestone = 'catalog' | `edition ${Edition}`;

/** Requests of the services since the start; watches are counted apart. */
export type RequestCounts = Readonly<{
  reads: number;
  writes: number;
  watches: number;
  /** Clusters that are watched now. */
  watched: number;
  /** Requests by service, verb and target. */
  each: Readonly<Record<string, number>>;
}>;

/** Content of the clusters of a process at the end. */
export type EndState = Readonly<{
  /** Operators of the asked edition that have Succeeded, with nothing of another edition beside them. */
  succeeded: number;
  /** Faults, for people; the first few. */
  faults: readonly string[];
}>;

export type ClustersAnswer =
  | Readonly<{ kubeconfig: string }>
  | Readonly<{ counts: RequestCounts }>
  | Readonly<{ objects: readonly StoredObject[] }>
  | Readonly<{ endState: EndState }>
  | Readonly<{ done: true }>
  | Readonly<{ reached: FleetMilestone; cluster: string; atMs: number }>;
