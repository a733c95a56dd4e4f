import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { type Right, rightsOf } from '#core/cluster/membership/role-rights';
import { PolicyRule } from '#core/kernel/api/cluster-service-version';
import { PROJECT_ROOT } from '../files/project-root.js';

/** The two identities of the hub in a managed cluster: k8s/base/managed-cluster has their roles. */
export const HUB_ROLES = ['observe', 'apply'] as const;
export type HubRole = (typeof HUB_ROLES)[number];

const ClusterRole = z.looseObject({ metadata: z.looseObject({ name: z.string() }), rules: z.array(PolicyRule) });
const read = new Map<HubRole, Promise<readonly Right[]>>();

/** Every single right of ClusterRole `flotilla:<role>`, as it lies in this checkout or image. Read once. */
export function shippedRights(role: HubRole): Promise<readonly Right[]> {
  const known = read.get(role) ?? rightsIn(role);
  read.set(role, known);
  return known;
}

async function rightsIn(role: HubRole): Promise<readonly Right[]> {
  const file = join(PROJECT_ROOT, 'k8s', 'base', 'managed-cluster', `${role}.yaml`);
  return rightsOf(ClusterRole.parse(load(await readFile(file, 'utf8'))).rules);
}
