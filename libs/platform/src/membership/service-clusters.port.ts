import type { KubeClient } from '../kube/client/kube-client.port.js';

/** What became of one cluster. */
export type ClusterChange = Readonly<
  | { kind: 'joined'; cluster: string; client: KubeClient }
  /** `access`: another address or login, which the client uses from now on. */
  | { kind: 'changed'; cluster: string; what: 'access' | 'paused' | 'resumed' }
  | { kind: 'left'; cluster: string }
>;

/** Two clusters give one identity: the one that is refused, or the one that keeps it. */
export type IdentityDispute = Readonly<{ isRefused: boolean; message: string }>;

/**
 * Takes the changes of one moment. What it resolves to is waited for when clusters leave: their connections
 * end after it.
 */
export type ClusterListener = (changes: readonly ClusterChange[]) => void | Promise<void>;

/** The clusters of one service of the process, as they are now and as they change. */
export interface ServiceClusters {
  /** Names of all clusters: those that take part, that did not answer yet, and that are leaving. */
  known(): readonly string[];
  /** Whether it is one of them: what is asked of each cluster does not go through all of them. */
  knows(cluster: string): boolean;
  /** The clients of the clusters that take part, in the order of the kubeconfigs. */
  clients(): readonly KubeClient[];
  /** Undefined for a cluster that does not take part: not yet, or no longer. */
  client(cluster: string): KubeClient | undefined;
  /** Whether the cluster took part and does so no more, or is refused: jobs of it are dropped. */
  hasLeft(cluster: string): boolean;
  /** Whether the cluster is observed, and not acted on. */
  isPaused(cluster: string): boolean;
  /** Whether another one acts on the cluster, and the hub only reports. */
  isObserved(cluster: string): boolean;
  /** Why the cluster does not take part yet. */
  problemOf(cluster: string): string | undefined;
  /**
   * The UID of namespace `kube-system` of the cluster that answers in the place of the one that is managed
   * under this name, and is refused for that; undefined where none does.
   */
  replacedBy?(cluster: string): string | undefined;
  /** The conflict about the identity of a cluster; undefined if it has none. */
  disputeOf?(cluster: string): IdentityDispute | undefined;
  /**
   * The context of the hub's kubeconfig that leads to the cluster; undefined where its login is in a Secret
   * of the hub, or with the pod that we run in.
   */
  contextOf(cluster: string): string | undefined;
  /** Calls back at once with the clusters that take part, then with each change. Returns what ends this. */
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
    contextOf: (cluster) => byName.get(cluster)?.login?.context,
    subscribe: (listener) => {
      void listener(clients.map((client) => ({ kind: 'joined', cluster: client.cluster, client })));
      return () => undefined;
    },
  };
}
