import type { AdviceParts } from '#core/cluster/advice/advice-parts';
import type { ClusterList } from '../../src/api/lists.schema.js';
import { rowPaths } from './address.js';
import { todoIn } from './cluster-commands.js';
import { useLoaded } from './loaded.js';

/** {@link todoIn} for the page of an object; undefined until the row of its cluster was read. */
export function useTodoIn(cluster: string): ((todo: string) => AdviceParts) | undefined {
  const row = useLoaded<ClusterList>(rowPaths.cluster(cluster)).data?.items[0];
  return row && ((todo) => todoIn(row, todo));
}
