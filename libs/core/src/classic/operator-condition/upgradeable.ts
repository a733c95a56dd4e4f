import type { OperatorCondition } from '../../kernel/api/operator-condition.js';

const UPGRADEABLE = 'Upgradeable';

/**
 * Why the operator that this condition speaks for must not be upgraded now, or undefined when it may. An
 * override of the cluster's admin beats what the operator says; no object means it may
 * (spec: csv-lifecycle.md §8).
 */
export function operatorNotUpgradeable(condition: OperatorCondition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const override = condition.spec?.overrides?.find(({ type }) => type === UPGRADEABLE);
  if (override !== undefined) {
    return override.status === 'True' ? undefined : `the operator is not upgradeable: ${override.message ?? ''}`;
  }
  const said = condition.status?.conditions?.find(({ type }) => type === UPGRADEABLE);
  if (said === undefined) return undefined;
  if ((said.observedGeneration ?? 0) !== (condition.metadata.generation ?? 0)) {
    return `the operatorcondition status "${UPGRADEABLE}"="${said.status}" is outdated`;
  }
  return said.status === 'False' ? `the operator is not upgradeable: ${said.message ?? ''}` : undefined;
}
