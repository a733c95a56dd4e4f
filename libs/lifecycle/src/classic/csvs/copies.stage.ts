import { copiesDisabled } from '#core/classic/csv/copies/copies-switch';
import { COPIED_FROM_LABEL, type CopyWorld, orphanedCopies, stepCopies } from '#core/classic/csv/copies/step-copies';
import { isGlobal, targetsOf } from '#core/classic/operator-group/group-facts';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { isTerminatingNamespace, type KindRef } from '#platform/kube/client/kube-client.port';
import { perform } from '../../engine/perform.js';
import { eachInTurn } from '../../engine/refusal.js';
import { AT_REST, joined, type StageOutcome } from '../../engine/stage.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/stage.js';
import { olmConfigOf, reportDisabled, reportSwitch } from './copies-switch.js';

export type CopySettings = Readonly<{ protectedNamespaces: readonly string[] }>;

const rbac = (kind: string): KindRef => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind });

/**
 * Brings the copies of the namespace's CSVs in step: in every other namespace that its group
 * selects, and nowhere else.
 */
export const copiesStage =
  (settings: CopySettings): NamespaceStage =>
  async (input) => {
    const { read, reader } = input;
    const originals = read.csvs.filter((csv) => !isCopied(csv));
    const copies = await reader.list<ClusterServiceVersion>(CSV_API, {
      labelSelector: `${COPIED_FROM_LABEL}=${read.namespace}`,
    });
    let outcome = await perform(input, orphanedCopies(copies, originals));
    const [group] = read.operatorGroups;
    if (group === undefined || read.operatorGroups.length > 1) return outcome;
    for (const csv of originals) {
      const copied = copies.some(({ metadata }) => metadata.name === csv.metadata.name);
      if (copied || watchesOthers(group, read.namespace)) {
        outcome = joined(outcome, await copy(input, csv, group, settings));
      }
    }
    if (outcome.moved || !isGlobal(targetsOf(group))) return outcome;
    return joined(outcome, await reportSwitch(input, settings));
  };

const watchesOthers = (group: OperatorGroup, namespace: string): boolean =>
  (targetsOf(group) ?? []).some((target) => target !== namespace);

async function copy(
  input: NamespaceStageInput,
  csv: ClusterServiceVersion,
  group: OperatorGroup,
  settings: CopySettings,
): Promise<StageOutcome> {
  const world = await worldOf(input, csv, group, settings);
  const copied = await eachInTurn(stepCopies(csv, world), (action) => unlessTerminating(perform(input, [action])));
  if (world.copiesOnlyIn === undefined || !isGlobal(targetsOf(group))) return copied;
  return joined(copied, await reportDisabled(input, csv));
}

/** A namespace whose deletion began after it was read needs no copy: that is no refusal. */
async function unlessTerminating(performed: Promise<StageOutcome>): Promise<StageOutcome> {
  try {
    return await performed;
  } catch (error) {
    if (isTerminatingNamespace(error)) return AT_REST;
    throw error;
  }
}

async function worldOf(
  { reader, read }: NamespaceStageInput,
  csv: ClusterServiceVersion,
  group: OperatorGroup,
  { protectedNamespaces }: CopySettings,
): Promise<CopyWorld> {
  const targets = targetsOf(group) ?? [];
  const withRoles = isGlobal(targets) ? [] : [...new Set([read.namespace, ...targets])];
  const inEach = async (kind: string) =>
    (await Promise.all(withRoles.map((namespace) => reader.list(rbac(kind), { namespace })))).flat();
  const [namespaces, namesakes, config, roles, roleBindings] = await Promise.all([
    reader.listMetadata({ apiVersion: 'v1', kind: 'Namespace' }),
    reader.list<ClusterServiceVersion>(CSV_API, { fieldSelector: `metadata.name=${csv.metadata.name}` }),
    olmConfigOf(reader),
    inEach('Role'),
    inEach('RoleBinding'),
  ]);
  return {
    group,
    namespaces: namespaces
      .filter(({ metadata }) => !metadata.deletionTimestamp)
      .map(({ metadata }) => metadata.name ?? ''),
    namesakes: namesakes.filter(({ metadata }) => metadata.namespace !== read.namespace),
    roles,
    roleBindings,
    ...(copiesDisabled(config) ? { copiesOnlyIn: new Set(protectedNamespaces) } : {}),
  };
}
