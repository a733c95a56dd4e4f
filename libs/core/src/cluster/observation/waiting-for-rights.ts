import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../kernel/api/csv-facts.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/**
 * Returns the namespaces of operators with unmet requirements or a forbidden install, each once. A user may
 * grant or revoke rights with RBAC objects without the label `olm.managed`. Such a change alters the status
 * of these operators.
 */
export function namespacesWaitingForRights(csvs: readonly ClusterServiceVersion[]): string[] {
  const waiting = csvs.filter((csv) => !isCopied(csv) && hasOpenRequirements(csv));
  return [...new Set(waiting.flatMap(({ metadata }) => metadata.namespace ?? []))].sort(byCodeUnit);
}

/** Requirements that are missing, and an install that the rights did not cover. */
const WAIT_FOR_RIGHTS: ReadonlySet<string> = new Set(['RequirementsNotMet', 'InstallComponentFailedNoRetry']);

/** A CSV without a phase may have had its requirements checked a moment ago. */
function hasOpenRequirements({ status }: ClusterServiceVersion): boolean {
  const { phase = '', reason } = status ?? {};
  return phase === '' || phase === 'Pending' || (phase === 'Failed' && WAIT_FOR_RIGHTS.has(reason ?? ''));
}
