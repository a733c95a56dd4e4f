import type { KubernetesObject } from '#core/api/kubernetes-object';
import type { OperatorGroup } from '#core/api/operator-group';
import { orphanedGroupClusterRoles } from '#core/operator-group/group-cluster-roles';
import { stepOperatorGroup } from '#core/operator-group/step-operator-group';
import type { KindRef } from '#platform/kube/kube-client.port';
import { perform, writeStatus } from '../namespaces/perform.js';
import { AT_REST, joined, type Stage, type StageInput, type StageOutcome } from '../namespaces/stage.js';

const NAMESPACES: KindRef = { apiVersion: 'v1', kind: 'Namespace' };
const CLUSTER_ROLES: KindRef = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
/** A service account that is named but not there raises no event; OLM comes back after minutes, this does sooner. */
const PROBLEM_AGAIN_MS = 15_000;

const ofGroupsIn = (namespace: string): string => `olm.owner.kind=OperatorGroup,olm.owner.namespace=${namespace}`;

/** Brings the OperatorGroups of the namespace in order: targets, labels, conditions, ClusterRoles, provided APIs. */
export const operatorGroupStage: Stage = async (input) => {
  const { reader, read } = input;
  const orphans = await deleteOrphans(input);
  if (orphans.moved || read.operatorGroups.length === 0) return orphans;
  const [namespaces, clusterRoles] = await Promise.all([
    reader.list(NAMESPACES),
    reader.list(CLUSTER_ROLES, { labelSelector: ofGroupsIn(read.namespace) }),
  ]);
  let outcome: StageOutcome = AT_REST;
  for (const group of read.operatorGroups) {
    const step = await takeStep(input, group, namespaces, clusterRoles);
    outcome = joined(outcome, step);
  }
  return outcome;
};

/** The ClusterRoles of groups that are gone go with them: they are no objects of the namespace, so nobody collects them. */
async function deleteOrphans(input: StageInput): Promise<StageOutcome> {
  const { reader, read } = input;
  const ofNamespace = await reader.list(CLUSTER_ROLES, { labelSelector: ofGroupsIn(read.namespace) });
  return perform(input, orphanedGroupClusterRoles(ofNamespace, read.operatorGroups));
}

async function takeStep(
  input: StageInput,
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
      ? await reader.get({ apiVersion: 'v1', kind: 'ServiceAccount', name: account, namespace: read.namespace })
      : undefined,
  });
  const acted = await perform(input, step.actions, [group]);
  const written = step.status === undefined ? AT_REST : await writeStatus(input, group, step.status);
  const after = await perform(input, step.afterwards, [group]);
  return {
    moved: acted.moved || written.moved || after.moved,
    againAfterMs: step.problem === undefined ? undefined : PROBLEM_AGAIN_MS,
  };
}
