import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, isCopied, isUncopiable } from '../../../kernel/api/csv-facts.js';
import type { OlmConfig } from '../../../kernel/api/olm-config.js';
import { conditionOf, replaceCondition, transitioned } from '../../../kernel/conditions/condition-list.js';
import { kubernetesTime } from '../../../kernel/durations/kubernetes-time.js';
import { COPIED_FROM_LABEL } from './step-copies.js';

/** The one condition of the OLMConfig. */
export const COPIES_CONDITION = 'DisabledCopiedCSVs';

/** True when the cluster's admin wants no copies of operators that watch all namespaces. */
export const copiesDisabled = (config: OlmConfig | undefined): boolean =>
  config?.spec?.features?.disableCopiedCSVs === true;

/** One namespace with a global group: its CSVs, and copies of them anywhere. */
export type GlobalNamespace = Readonly<{
  namespace: string;
  csvs: readonly ClusterServiceVersion[];
  copies: readonly ClusterServiceVersion[];
}>;

/**
 * Returns the status of the OLMConfig after a pass over all global operators, or undefined if it does not
 * change. `namespaces` excludes those that are being deleted. `protectedNamespaces` keep their copies in any
 * case (spec: csv-lifecycle.md §10).
 */
export function copiesSwitchStatus(
  config: OlmConfig,
  globals: readonly GlobalNamespace[],
  {
    namespaces,
    protectedNamespaces,
  }: Readonly<{ namespaces: readonly string[]; protectedNamespaces: readonly string[] }>,
  now: Date,
): OlmConfig['status'] | undefined {
  const disabled = copiesDisabled(config);
  const wanted = disabled ? namespaces.filter((name) => protectedNamespaces.includes(name)) : namespaces;
  const wrong = globals.some(
    (one) => !one.csvs.every((csv) => isCopied(csv) || hasItsCopies(csv, one, wanted, disabled)),
  );
  const content = reportedOn(disabled, wrong);
  const conditions = config.status?.conditions ?? [];
  const old = conditionOf(conditions, COPIES_CONDITION);
  const { status, reason, message } = content;
  if (old?.status === status && old.reason === reason && old.message === message) return undefined;
  return {
    ...config.status,
    conditions: replaceCondition(conditions, transitioned(content, conditions, kubernetesTime(now))),
  };
}

/**
 * True if the CSV has its copies as configured: while copies are wanted they must exist; while they are not,
 * only those in protected namespaces may.
 */
function hasItsCopies(
  csv: ClusterServiceVersion,
  { namespace, copies }: GlobalNamespace,
  wanted: readonly string[],
  disabled: boolean,
): boolean {
  const places = new Set(
    copies
      .filter((copy) => csvName(copy) === csvName(csv) && copy.metadata.labels?.[COPIED_FROM_LABEL] === namespace)
      .map(csvNamespace),
  );
  if (disabled) return places.isSubsetOf(new Set(wanted));
  return isUncopiable(csv) || wanted.every((place) => place === namespace || places.has(place));
}

function reportedOn(disabled: boolean, wrong: boolean) {
  if (!disabled) {
    const seen = wrong
      ? 'Copied CSVs are enabled and at least one copied CSVs is missing'
      : 'Copied CSVs are enabled and present across the cluster';
    return { type: COPIES_CONDITION, status: 'False', reason: 'CopiedCSVsEnabled', message: seen };
  }
  const seen = wrong
    ? 'Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in AllNamespace mode'
    : 'Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode';
  return { type: COPIES_CONDITION, status: wrong ? 'False' : 'True', reason: 'CopiedCSVsDisabled', message: seen };
}
