import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { perform } from '../../engine/passes/perform.js';
import { MOVED, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { resolutionWarning } from './resolution-events.js';

/**
 * Reports that the namespace has none, or several, OperatorGroups. OLM writes this to its log alone (spec:
 * subscriptions.md §2.3); users read Events.
 */
export async function reportGroupCount(input: NamespaceStageInput): Promise<StageOutcome> {
  const { namespace, operatorGroups } = input.read;
  if (!(await areGroupsCurrent(input))) {
    input.reader.doubtAll();
    return MOVED;
  }
  const advice =
    operatorGroups.length === 0
      ? 'create an OperatorGroup; its targets are the namespaces that the operators watch'
      : `delete all but one of ${operatorGroups.map(({ metadata }) => metadata.name).join(', ')}`;
  const message = `found ${operatorGroups.length} operatorGroups, expected 1: nothing is resolved in this namespace; ${advice}`;
  return perform(input, [resolutionWarning(namespace, message)]);
}

/** True if the API server has the same groups: a cache may have a Subscription before its OperatorGroup. */
async function areGroupsCurrent({ client, read, reader }: NamespaceStageInput): Promise<boolean> {
  if (reader.live) return true;
  const found = await client.list<OperatorGroup>(OPERATOR_GROUP_API, { namespace: read.namespace });
  const uids = (groups: readonly OperatorGroup[]) => canonicalJson(groups.map(({ metadata }) => metadata.uid).sort());
  return uids(found?.items ?? []) === uids(read.operatorGroups);
}
