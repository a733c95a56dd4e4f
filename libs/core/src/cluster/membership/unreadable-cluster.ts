import { z } from 'zod';
import { FleetCluster } from '../../kernel/api/fleet/fleet-cluster.js';
import { Name } from '../../kernel/api/fleet/fleet-fields.js';
import { specOf, type UnreadableObject } from '../../kernel/api/fleet/unreadable-object.js';

const Namespaces = z.array(Name);

/** Returns the namespaces that choose an unreadable FleetCluster. Undefined: any, or they cannot be read. */
export const allowedNamespaces = (unreadable: UnreadableObject): readonly string[] | undefined =>
  Namespaces.safeParse(specOf(unreadable)['allowedNamespaces']).data;

/**
 * Returns a substitute for a FleetCluster that does not follow its schema: a paused cluster, so that it stays
 * a member and nothing is written there. Returns undefined if its name or labels cannot be read either.
 */
export function unreadableCluster(unreadable: UnreadableObject): FleetCluster | undefined {
  const { object } = unreadable;
  return FleetCluster.safeParse({
    ...object,
    spec: { access: { context: object.metadata.name }, paused: true, allowedNamespaces: allowedNamespaces(unreadable) },
  }).data;
}
