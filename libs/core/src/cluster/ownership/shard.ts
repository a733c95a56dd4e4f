import { createHash } from 'node:crypto';

/**
 * Returns the shard of a cluster, from 0. It depends on the name and the number of shards alone, so that all
 * processes of all releases agree without asking each other. Never change it.
 */
export function shardOf(cluster: string, shards: number): number {
  const hash = createHash('sha256').update(cluster).digest().readUInt32BE(0);
  return hash % shards;
}

/**
 * Returns the work of each shard. Clusters count, and shards with the same number of clusters weigh the same.
 * A shard without clusters has a weight too, so that such shards are also shared out evenly. All of them
 * together weigh no more than one cluster.
 */
export function shardWeights(clusters: readonly string[], shards: number): readonly number[] {
  const weights = Array.from({ length: shards }, () => 1);
  for (const cluster of clusters) {
    const shard = shardOf(cluster, shards);
    weights[shard] = (weights[shard] ?? 0) + shards;
  }
  return weights;
}
