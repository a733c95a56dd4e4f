import type { Action } from '../../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { sha224Base62 } from '../../../kernel/hashes/digest.js';
import { grantedRules } from '../../../kernel/rbac/authorize.js';
import { managedRights } from '../../../kernel/rbac/rights-changed.js';
import type { CsvWorld } from '../world/csv-world.js';
import { REFUSED_RIGHTS_ANNOTATION } from '../world/hub-annotations.js';

/** The reason of a CSV with a forbidden install (spec: csv-lifecycle.md §3, InstallReady). */
export const FORBIDDEN_REASON = 'InstallComponentFailedNoRetry';

type Rights = Pick<
  CsvWorld,
  'operatorGroups' | 'roles' | 'roleBindings' | 'serviceAccounts' | 'clusterRoles' | 'clusterRoleBindings'
>;

/**
 * Hashes the rights of an install of the CSV. Times of objects cannot replace the hash: they are whole
 * seconds of another clock, and do not change when a field is only removed. The hash covers the group with
 * its generation, its service account with all grants from bindings, and the labelled rights of the
 * namespace; OLM watches those (spec: csv-lifecycle.md §2.0).
 */
export function rightsOfInstall(csv: ClusterServiceVersion, world: Rights): string {
  const namespace = csvNamespace(csv);
  const groups = world.operatorGroups.map(({ metadata, spec }) => {
    const { name, uid, generation } = metadata;
    const account = spec?.serviceAccountName ?? '';
    return { name, uid, generation, account: account === '' ? undefined : accountRights(world, namespace, account) };
  });
  const managed = managedRights([...world.roles, ...world.roleBindings, ...world.serviceAccounts]).map(contentOf);
  return sha224Base62(canonicalJson({ groups: inOrder(groups), managed: inOrder(managed) }));
}

function accountRights(world: Rights, namespace: string, name: string): object {
  const account = world.serviceAccounts.find(({ metadata }) => metadata.name === name);
  return { name, uid: account?.metadata.uid, rules: inOrder(grantedRules(world, { namespace, name }, namespace)) };
}

const contentOf = ({ metadata: { name, uid }, rules, roleRef, subjects }: KubernetesObject): object => ({
  ...{ name, uid },
  ...{ rules, roleRef, subjects },
});

/** Texts of the values, in an order that does not depend on that of the API server's answer. */
const inOrder = (values: readonly object[]): readonly string[] => values.map(canonicalJson).sort(byCodeUnit);

/** Sets the annotation, or removes it if `rights` is undefined. */
export function rememberRights(csv: ClusterServiceVersion, rights: string | undefined): Action {
  const ref = { ...CSV_API, name: csvName(csv), namespace: csvNamespace(csv) };
  return { do: 'patch', ref, patch: { metadata: { annotations: { [REFUSED_RIGHTS_ANNOTATION]: rights ?? null } } } };
}

/** Returns the rights of the forbidden install. Undefined if the CSV does not record them. */
export const refusedRights = ({ metadata }: ClusterServiceVersion): string | undefined =>
  metadata.annotations?.[REFUSED_RIGHTS_ANNOTATION];
