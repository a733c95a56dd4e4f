import type { KnownLogin } from '#core/cluster/advice/command-in';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type {
  ClusterChange,
  ClusterLabels,
  ClusterListener,
  IdentityDispute,
  ServiceClusters,
} from '../membership/service-clusters.port.js';
import type { ShardFollower, ShardLoss, ShardSource } from './shard-follower.port.js';

type OwnedClustersOptions = Readonly<{
  /** All clusters of the hub. */
  all: ServiceClusters;
  ownership: ShardSource;
  shardOf: (cluster: string) => number;
}>;

/**
 * The clusters of the shards that this process owns: one joins when its shard is gained, and leaves when it
 * is lost. As a source of shards it has only those with a cluster: Redis is not asked for the others.
 */
export class OwnedClusters implements ServiceClusters, ShardSource {
  readonly #owned = new Set<number>();
  readonly #clients = new Map<string, KubeClient>();
  readonly #listeners = new Set<ClusterListener>();
  readonly #followers = new Set<ShardFollower>();
  readonly #onLost: ((cluster: string) => void)[] = [];
  /** The shards that the followers work for. */
  readonly #followed = new Set<number>();
  /** Shards by cluster of the hub: a shard is a hash, and all clusters are visited often. */
  readonly #shards = new Map<string, number>();

  constructor(private readonly options: OwnedClustersOptions) {
    options.all.subscribe((changes) => this.#take(changes));
    options.ownership.follow({
      gained: (shard) => this.#gain(shard),
      lost: (shard, how) => this.#lose(shard, how),
    });
  }

  known(): readonly string[] {
    return this.options.all.known().filter((cluster) => this.#owned.has(this.#shardOfKnown(cluster)));
  }

  knows(cluster: string): boolean {
    return this.options.all.knows(cluster) && this.#owned.has(this.#shardOfKnown(cluster));
  }

  clients(): readonly KubeClient[] {
    return this.options.all.clients().filter(({ cluster }) => this.#owned.has(this.#shardOfKnown(cluster)));
  }

  client(cluster: string): KubeClient | undefined {
    return this.owns(cluster) ? this.options.all.client(cluster) : undefined;
  }

  hasLeft(cluster: string): boolean {
    return this.options.all.hasLeft(cluster);
  }

  isPaused(cluster: string): boolean {
    return this.options.all.isPaused(cluster);
  }

  isObserved(cluster: string): boolean {
    return this.options.all.isObserved(cluster);
  }

  problemOf(cluster: string): string | undefined {
    return this.options.all.problemOf(cluster);
  }

  replacedBy(cluster: string): string | undefined {
    return this.owns(cluster) ? this.options.all.replacedBy?.(cluster) : undefined;
  }

  disputeOf(cluster: string): IdentityDispute | undefined {
    return this.owns(cluster) ? this.options.all.disputeOf?.(cluster) : undefined;
  }

  knownLogin(cluster: string): KnownLogin | undefined {
    return this.options.all.knownLogin(cluster);
  }

  labelsOf(cluster: string): ClusterLabels {
    return this.options.all.labelsOf?.(cluster) ?? {};
  }

  subscribe(listener: ClusterListener): () => void {
    this.#listeners.add(listener);
    const joined = [...this.#clients].filter(([cluster]) => this.owns(cluster)).map(joinedChange);
    if (joined.length > 0) void listener(joined);
    return () => void this.#listeners.delete(listener);
  }

  follow(follower: ShardFollower): void {
    this.#followers.add(follower);
    for (const shard of this.#followed) follower.gained(shard);
  }

  /** Has the callback called for each cluster of a shard that was lost, once all work there has ended. */
  whenLost(callback: (cluster: string) => void): void {
    this.#onLost.push(callback);
  }

  /** True if this process works for the shard of the cluster. The hub need not have the cluster. */
  owns(cluster: string): boolean {
    return this.#owned.has(this.options.shardOf(cluster));
  }

  /** Only for clusters of kubeconfigs: jobs may name any other, and nothing is kept of those. */
  #shardOfKnown(cluster: string): number {
    const shard = this.#shards.get(cluster) ?? this.options.shardOf(cluster);
    this.#shards.set(cluster, shard);
    return shard;
  }

  #clustersOf(shard: number): readonly (readonly [string, KubeClient])[] {
    return [...this.#clients].filter(([cluster]) => this.#shardOfKnown(cluster) === shard);
  }

  async #take(changes: readonly ClusterChange[]): Promise<void> {
    for (const change of changes) if (change.kind === 'joined') this.#clients.set(change.cluster, change.client);
    const ended = this.#emit(changes.filter(({ cluster }) => this.owns(cluster)));
    for (const { kind, cluster } of changes) if (kind === 'joined') this.#begin(this.options.shardOf(cluster));
    for (const { kind, cluster } of changes) if (kind === 'left') this.#clients.delete(cluster);
    await ended;
  }

  #gain(shard: number): void {
    this.#owned.add(shard);
    void this.#emit(this.#clustersOf(shard).map(joinedChange));
    this.#begin(shard);
  }

  /**
   * Gives up a shard. Work in a shard that moves may end with its clients; in a shard that was taken it ends
   * at once.
   */
  async #lose(shard: number, how: ShardLoss): Promise<void> {
    if (how === 'taken') this.#owned.delete(shard);
    const followers = this.#followed.delete(shard) ? [...this.#followers] : [];
    await Promise.all(followers.map((follower) => follower.lost(shard, how)));
    this.#owned.delete(shard);
    const left = this.#clustersOf(shard).map(([cluster]) => cluster);
    await this.#emit(left.map((cluster) => ({ kind: 'left', cluster })));
    for (const cluster of left) if (!this.owns(cluster)) for (const callback of this.#onLost) callback(cluster);
  }

  #begin(shard: number): void {
    if (!this.#owned.has(shard) || this.#followed.has(shard) || this.#clustersOf(shard).length === 0) return;
    this.#followed.add(shard);
    for (const follower of this.#followers) follower.gained(shard);
  }

  async #emit(changes: readonly ClusterChange[]): Promise<void> {
    if (changes.length > 0) await Promise.all([...this.#listeners].map((listener) => listener(changes)));
  }
}

const joinedChange = ([cluster, client]: readonly [string, KubeClient]): ClusterChange => ({
  kind: 'joined',
  cluster,
  client,
});
