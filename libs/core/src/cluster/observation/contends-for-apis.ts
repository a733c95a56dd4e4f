import { annotatedApis } from '../../classic/operator-group/provided-apis.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { providedApis } from '../../kernel/api/csv-facts.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { servedKey } from '../../kernel/api/served-key.js';

/** Reasons of an operator that failed. It continues once another group allows it. */
const REFUSED_APIS: ReadonlySet<string> = new Set([
  'InterOperatorGroupOwnerConflict',
  'CannotModifyStaticOperatorGroupProvidedAPIs',
]);

/**
 * True if a change of an OperatorGroup may unblock or stop an operator of another group. That operator
 * provides an API in the group's annotation, or was refused APIs. The annotation no longer names an API that
 * was removed from it (spec: operator-groups.md §4, group sync).
 */
export function contendsForApis(csv: ClusterServiceVersion, group: OperatorGroup): boolean {
  if (REFUSED_APIS.has(csv.status?.reason ?? '')) return true;
  const annotated = annotatedApis(group);
  return annotated.size > 0 && providedApis(csv).some((api) => annotated.has(servedKey(api)));
}
