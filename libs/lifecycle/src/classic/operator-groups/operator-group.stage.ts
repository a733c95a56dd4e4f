import { orphanedGroupClusterRoles } from '#core/classic/operator-group/group-cluster-roles';
import { unlabelOrphans } from '#core/classic/operator-group/namespace-labels';
import { stepOperatorGroup } from '#core/classic/operator-group/step-operator-group';
import { isCopied } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API, type OperatorGroup } from '#core/kernel/api/operator-group';
import { perform, writeStatus } from '../../engine/passes/perform.js';
import { AT_REST, joined, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';

/**
 * The creation of a missing service account causes no event; OLM checks again after
 * minutes, this does sooner.
 */
const PROBLEM_AGAIN_MS = 15_000;

const ofGroupsIn = (namespace: string): string => `olm.owner.kind=OperatorGroup,olm.owner.namespace=${namespace}`;

/**
 * Brings the OperatorGroups of the namespace in order: targets, labels, conditions,
 * ClusterRoles, provided APIs.
 */
export const operatorGroupStage: NamespaceStage = async (input) => {
  const { reader, read } = input;
  const [namespaces, clusterRoles] = await Promise.all([
    reader.listMetadata(KIND.Namespace),
    clusterRolesOfGroups(input),
  ]);
  const orphans = await clearOrphans(input, namespaces, clusterRoles);
  if (orphans.moved) return orphans;
  let outcome: StageOutcome = AT_REST;
  for (const group of read.operatorGroups) {
    const step = await takeStep(input, group, namespaces, clusterRoles);
    outcome = joined(outcome, step);
  }
  return outcome;
};

/**
 * Returns the ClusterRoles of groups. If there is a CSV, its rights are computed from all ClusterRoles soon
 * after: then one list serves both.
 */
async function clusterRolesOfGroups({ reader, read }: NamespaceStageInput): Promise<readonly KubernetesObject[]> {
  if (read.csvs.some((csv) => !isCopied(csv))) await reader.list(KIND.ClusterRole);
  return reader.list(KIND.ClusterRole, { labelSelector: ofGroupsIn(read.namespace) });
}

/**
 * ClusterRoles of groups that are gone are deleted with them, and their labels on Namespaces removed: no
 * garbage collector does it, since they are not in the group's namespace.
 */
async function clearOrphans(
  input: NamespaceStageInput,
  namespaces: readonly KubernetesObject[],
  clusterRoles: readonly KubernetesObject[],
): Promise<StageOutcome> {
  const { reader, read } = input;
  const deleted = await perform(input, orphanedGroupClusterRoles(clusterRoles, read.operatorGroups));
  if (unlabelOrphans([...read.operatorGroups, ...read.otherOperatorGroups], namespaces).length === 0) return deleted;
  // The label may belong to a newer group than the ones read here: only a newer list can decide.
  reader.doubt(OPERATOR_GROUP_API.kind);
  const groups = await reader.list<OperatorGroup>(OPERATOR_GROUP_API);
  return joined(deleted, await perform(input, unlabelOrphans(groups, namespaces)));
}

async function takeStep(
  input: NamespaceStageInput,
  group: OperatorGroup,
  namespaces: readonly KubernetesObject[],
  clusterRoles: readonly KubernetesObject[],
): Promise<StageOutcome> {
  const { reader, read, now } = input;
  const account = group.spec?.serviceAccountName;
  const step = stepOperatorGroup(group, {
    now,
    operatorGroups: read.operatorGroups,
    namespaces,
    csvs: read.csvs,
    clusterRoles,
    serviceAccount: account
      ? await reader.get({ ...KIND.ServiceAccount, name: account, namespace: read.namespace })
      : undefined,
  });
  const acted = await perform(input, step.actions, [group]);
  const written = step.status === undefined ? AT_REST : await writeStatus(input, group, step.status);
  const after = await perform(input, step.afterwards, [group]);
  const moved = acted.moved || written.moved || after.moved;
  if (step.problem === undefined) return { moved };
  return { moved, waitsFor: `OperatorGroup ${group.metadata.name}: ${step.problem}`, againAfterMs: PROBLEM_AGAIN_MS };
}
