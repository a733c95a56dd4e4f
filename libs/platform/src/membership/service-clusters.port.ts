import type { KnownLogin } from '#core/cluster/advice/command-in';
import type { KubeClient } from '../kube/client/kube-client.port.js';

/** Labels of a cluster by their keys. */
export type ClusterLabels = Readonly<Record<string, string>>;

/** A change of one cluster. */
export type ClusterChange = Readonly<
  | { kind: 'joined'; cluster: string; client: KubeClient }
  /** `access`: another address or login. The client uses it from now on. */
  | { kind: 'changed'; cluster: string; what: 'access' | 'paused' | 'resumed' }
  | { kind: 'left'; cluster: string }
>;

/** Two clusters give one identity: the one that is refused, or the one that keeps it. */
export type IdentityDispute = Readonly<{ isRefused: boolean; message: string }>;

/**
 * Takes the changes of one moment. When clusters leave, the result is awaited: their connections end after
 * it.
 */
export type ClusterListener = (changes: readonly ClusterChange[]) => void | Promise<void>;

/** The clusters of one service of the process, as they are now and as they change. */
export interface ServiceClusters {
  /** Names of all clusters: those that take part, that did not answer yet, and that are leaving. */
  known(): readonly string[];
  /** True if it is one of them. Questions about one cluster do not go through all of them. */
  knows(cluster: string): boolean;
  /** The clients of the clusters that take part, in the order of the kubeconfigs. */
  clients(): readonly KubeClient[];
  /** Undefined for a cluster that does not take part: not yet, or no longer. */
  client(cluster: string): KubeClient | undefined;
  /** True if the cluster took part and does so no more, or is refused: jobs of it are dropped. */
  hasLeft(cluster: string): boolean;
  /** True if the cluster is observed, and not acted on. */
  isPaused(cluster: string): boolean;
  /** True if another hub or OLM acts on the cluster, and this hub only reports. */
  isObserved(cluster: string): boolean;
  /** Returns the reason why the cluster does not take part yet. */
  problemOf(cluster: string): string | undefined;
  /**
   * Returns the UID of namespace `kube-system` of a refused cluster: it answers in place of the cluster that
   * is managed under this name. Returns undefined if there is none.
   */
  replacedBy?(cluster: string): string | undefined;
  /** The conflict about the identity of a cluster; undefined if it has none. */
  disputeOf?(cluster: string): IdentityDispute | undefined;
  /**
   * Returns the context with which people reach the cluster. Returns undefined if its login is in a Secret of
   * the hub or in its pod, or if two files of the hub have that context.
   */
  knownLogin(cluster: string): KnownLogin | undefined;
  /** Returns the labels of the FleetCluster of that name. Empty if there is none, or the hub has no fleet. */
  labelsOf?(cluster: string): ClusterLabels;
  /**
   * Calls back at once with the clusters that take part, then with each change. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: ClusterListener): () => void;
}

/** Clusters that neither change nor leave. */
export function fixedClusters(clients: readonly KubeClient[]): ServiceClusters {
  const byName = new Map(clients.map((client) => [client.cluster, client]));
  return {
    known: () => [...byName.keys()],
    knows: (cluster) => byName.has(cluster),
    clients: () => clients,
    client: (cluster) => byName.get(cluster),
    hasLeft: () => false,
    isPaused: () => false,
    isObserved: () => false,
    problemOf: () => undefined,
    knownLogin: (cluster) => {
      const login = byName.get(cluster)?.login;
      return login && { context: login.context };
    },
    subscribe: (listener) => {
      void listener(clients.map((client) => ({ kind: 'joined', cluster: client.cluster, client })));
      return () => undefined;
    },
  };
}
