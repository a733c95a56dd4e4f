import type { Right } from '#core/cluster/membership/role-rights';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { missingRights, unlistedRights } from './missing-rights.js';
import { type ShippedRole, shippedRights } from './shipped-rights.js';

/** The role of an applier's login, and the rights of the role that the login lacks. */
export type ApplierRole = Readonly<{ role: Extract<ShippedRole, 'apply' | 'apply-listed'>; missing: readonly Right[] }>;

/** Logins without this right have no part of the role that lists kinds. */
const TELLING: Right = { verb: 'create', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/**
 * Compares a login with the two roles that are shipped for the applier. Nothing is missing if one of them is
 * there as a whole.
 */
export async function applierRole(client: Pick<KubeClient, 'create'>): Promise<ApplierRole> {
  const missing = await missingRights(client, await shippedRights('apply'));
  if (missing.length === 0 || (await missingRights(client, [TELLING])).length > 0) return { role: 'apply', missing };
  return { role: 'apply-listed', missing: await unlistedRights(client, await shippedRights('apply-listed')) };
}
