import { stepOperatorCondition } from '#core/classic/operator-condition/step-operator-condition';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import { OPERATOR_CONDITION_API, type OperatorCondition } from '#core/kernel/api/operator-condition';
import { perform, writeStatus } from '../../engine/passes/perform.js';
import { eachInTurn } from '../../engine/passes/refusal.js';
import { AT_REST, joined, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/** Keeps an OperatorCondition for every CSV, the operator's right to write it, and its status. */
export async function operatorConditionStage(input: NamespaceStageInput): Promise<StageOutcome> {
  const csvs = input.read.csvs.filter((csv) => !isCopied(csv));
  if (csvs.length === 0) return AT_REST;
  const { namespace } = input.read;
  const [conditions, roles, roleBindings] = await Promise.all([
    input.reader.list<OperatorCondition>(OPERATOR_CONDITION_API, { namespace }),
    input.reader.list(KIND.Role, { namespace }),
    input.reader.list(KIND.RoleBinding, { namespace }),
  ]);
  return eachInTurn(csvs, (csv) => {
    const condition = conditions.find(({ metadata }) => metadata.name === csv.metadata.name);
    return takeStep(input, csv, { condition, roles, roleBindings });
  });
}

async function takeStep(
  input: NamespaceStageInput,
  csv: ClusterServiceVersion,
  world: Parameters<typeof stepOperatorCondition>[1],
): Promise<StageOutcome> {
  const step = stepOperatorCondition(csv, world);
  const acted = await perform(input, step.actions);
  if (world.condition === undefined && acted.moved) {
    // Its uid is known now.
    const { name = '', namespace } = csv.metadata;
    const condition = await input.reader.get<OperatorCondition>({ ...OPERATOR_CONDITION_API, name, namespace });
    return condition === undefined ? acted : joined(acted, await takeStep(input, csv, { ...world, condition }));
  }
  if (step.status === undefined || world.condition === undefined) return acted;
  return joined(acted, await writeStatus(input, world.condition, step.status));
}
