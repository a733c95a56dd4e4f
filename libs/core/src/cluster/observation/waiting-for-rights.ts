import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../kernel/api/csv-facts.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

/**
 * The namespaces of operators whose requirements are open, or whose install was forbidden, each once. A user
 * who grants or revokes rights with RBAC objects of their own, which lack the label `olm.managed`, changes
 * what the status of these operators says.
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
