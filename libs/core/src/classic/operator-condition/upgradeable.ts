import type { OperatorCondition } from '../../kernel/api/operator-condition.js';

const UPGRADEABLE = 'Upgradeable';

/**
 * Returns the reason the operator of this condition must not be upgraded at present, or undefined if it may
 * be. An override by the cluster's admin takes precedence over the operator's own condition. Without the
 * object, upgrades are allowed (spec: csv-lifecycle.md §8).
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
