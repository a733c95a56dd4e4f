import type { CatalogCondition } from '../../kernel/api/cluster-catalog.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { transitioned } from '../../kernel/conditions/condition-list.js';
import type { ExtensionCondition } from '../revision/extension-condition.js';

/**
 * Conditions as they are written: sorted by type; a time changes with its status alone
 * (spec: v1-extension.md, "status").
 */
export function stampConditions(
  held: readonly CatalogCondition[] | undefined,
  conditions: readonly ExtensionCondition[],
  generation: number | undefined,
  now: Date,
): CatalogCondition[] {
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  return conditions
    .map((condition) => ({
      ...transitioned({ ...condition, message: clipMessage(condition.message) }, held, time),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }))
    .sort((a, b) => byCodeUnit(a.type, b.type));
}
