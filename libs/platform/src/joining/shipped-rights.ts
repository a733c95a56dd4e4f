import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { type Right, rightsOf } from '#core/cluster/membership/role-rights';
import { PolicyRule } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import { PROJECT_ROOT } from '../files/project-root.js';

/** The two identities of the hub in a managed cluster: k8s/base/managed-cluster has their roles. */
export const HUB_ROLES = ['observe', 'apply'] as const;
export type HubRole = (typeof HUB_ROLES)[number];
/** `apply-listed`: the applier with a list of kinds (decision 0529). */
export type ShippedRole = HubRole | 'apply-listed';

const ClusterRole = z.looseObject({ metadata: z.looseObject({ name: z.string() }), rules: z.array(PolicyRule) });
const read = new Map<ShippedRole, Promise<readonly Right[]>>();

/** Every single right of ClusterRole `flotilla:<role>`, as it lies in this checkout or image. Read once. */
export function shippedRights(role: ShippedRole): Promise<readonly Right[]> {
  const known = read.get(role) ?? rightsIn(role);
  read.set(role, known);
  return known;
}

const rightsIn = async (role: ShippedRole): Promise<readonly Right[]> => rightsOf((await shippedRole(role)).rules);

/** ClusterRole `flotilla:<role>`, as it lies in this checkout or image. */
export async function shippedRole(role: ShippedRole) {
  const file = join(PROJECT_ROOT, 'k8s', 'base', 'managed-cluster', `${role}.yaml`);
  return { ...ClusterRole.parse(load(await readFile(file, 'utf8'))), ...KIND.ClusterRole };
}
