import { fnv1a64Hex, sha224Base62 } from './digest.js';

/** Returns the hash of one API in label keys `olm.api.<hash>` (spec: api-types.md §10, §12). */
export const apiHash = (kind: string, version: string, group: string): string =>
  fnv1a64Hex(`${kind}.${version}.${group}`);

/**
 * Prefix of the annotation keys on a CRD that name the CSVs it came with; the value is `<namespace>/<csv>`.
 */
export const ALONGSIDE_PREFIX = 'operatorframework.io/installed-alongside-';

/**
 * Returns the annotation key with which a CRD records that this CSV was installed with it (spec:
 * install-plans.md §7.3).
 */
export const alongsideAnnotationKey = (namespace: string, csv: string): string =>
  `${ALONGSIDE_PREFIX}${fnv1a64Hex(`${namespace}/${csv}`)}`;

const MAX_CLUSTER_ROLE_NAME_LENGTH = 253;

/**
 * Returns the name of the ClusterRole that gathers an OperatorGroup's APIs; `suffix` is admin, edit or view.
 * A long group name is cut so that the whole stays within 253 characters (spec: operator-groups.md, "Names";
 * api-types.md §12).
 */
export function operatorGroupClusterRoleName(namespace: string, group: string, suffix: string): string {
  const tail = `.${suffix}-${sha224Base62(`${namespace}/${group}/${suffix}`)}`;
  const room = MAX_CLUSTER_ROLE_NAME_LENGTH - 'olm.og.'.length - tail.length;
  return `olm.og.${group.slice(0, room)}${tail}`;
}
