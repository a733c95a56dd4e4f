import { copiesDisabled } from '#core/classic/csv/copies/copies-switch';
import {
  COPIED_FROM_LABEL,
  type CopyWorld,
  copiesInOrder,
  orphanedCopies,
  stepCopies,
} from '#core/classic/csv/copies/step-copies';
import { isGlobal, targetsOf } from '#core/classic/operator-group/group-facts';
import type { Action } from '#core/kernel/actions/action';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { isTerminatingNamespace, type KindRef } from '#platform/kube/client/kube-client.port';
import { perform, requireLive } from '../../engine/passes/perform.js';
import { eachInTurn } from '../../engine/passes/refusal.js';
import { AT_REST, joined, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { olmConfigOf, reportDisabled, reportSwitch } from './copies-switch.js';

type CopySettings = Readonly<{
  protectedNamespaces: readonly string[];
  /** Writes after which the other stages have a turn again. */
  atOnce?: number;
}>;

/**
 * Most copies in one turn. All copies of an operator take minutes in a large cluster, and the operator itself
 * must not wait so long.
 */
const AT_ONCE = 500;

/**
 * Brings the copies of the namespace's CSVs in step: in every other namespace that its group selects, and
 * nowhere else. Writes a part of them at once, so that the CSVs themselves continue meanwhile.
 */
export const copiesStage =
  (settings: CopySettings): NamespaceStage =>
  async (input) => {
    const { read, reader } = input;
    const originals = read.csvs.filter((csv) => !isCopied(csv));
    const copies = await reader.list<ClusterServiceVersion>(CSV_API, {
      labelSelector: `${COPIED_FROM_LABEL}=${read.namespace}`,
    });
    const orphans = orphanedCopies(copies, originals);
    const [group] = read.operatorGroups;
    if (group === undefined || read.operatorGroups.length > 1) return inPart(input, orphans, settings);
    const copied = new Set(copies.map(({ metadata }) => metadata.name));
    const worlds = await Promise.all(
      originals
        .filter(({ metadata }) => copied.has(metadata.name) || watchesOthers(group, read.namespace))
        .map(async (csv) => ({ csv, world: await worldOf(input, csv, group, settings) })),
    );
    const actions = worlds.flatMap(({ csv, world }) => stepCopies(csv, world));
    const outcome = await inPart(input, [...orphans, ...actions], settings);
    if (outcome.moved || !isGlobal(targetsOf(group))) return outcome;
    const disabled = worlds.filter(({ world }) => world.copiesOnlyIn !== undefined).map(({ csv }) => csv);
    const reported = await eachInTurn(disabled, (csv) => reportDisabled(input, csv));
    return joined(joined(outcome, reported), await reportSwitch(input, settings));
  };

const watchesOthers = (group: OperatorGroup, namespace: string): boolean =>
  (targetsOf(group) ?? []).some((target) => target !== namespace);

/**
 * Performs the next of the actions, up to `atOnce` writes. A pass that reads live performs all of them: each
 * round would list thousands of CSVs again.
 */
async function inPart(
  input: NamespaceStageInput,
  actions: readonly Action[],
  { atOnce = AT_ONCE }: CopySettings,
): Promise<StageOutcome> {
  const checked = new Set<string>();
  let left = input.reader.live ? Number.POSITIVE_INFINITY : atOnce;
  const outcome = await eachInTurn(copiesInOrder(actions), async (action) => {
    if (left === 0) return AT_REST;
    if (action.do === 'delete' && action.resourceVersion !== undefined) await requireGone(input, action.ref, checked);
    const performed = await unlessTerminating(perform(input, [action]));
    if (performed.moved) left -= 1;
    return performed;
  });
  // The other stages see changes that happened meanwhile, such as a Deployment that is available now.
  if (left === 0) input.reader.forgetAll();
  return outcome;
}

/**
 * A locked deletion is one for want of the original (why: classic.md "Copies of a CSV"). The cache may not
 * have that yet: one request says whether it is there.
 * @throws DecidedOnCache if it is
 */
async function requireGone(
  { client, reader, read: { namespace } }: NamespaceStageInput,
  { name }: ObjectRef,
  checked: Set<string>,
): Promise<void> {
  if (reader.live || checked.has(name)) return;
  const original = await client.get({ ...CSV_API, name, namespace });
  if (original !== undefined && original.metadata.deletionTimestamp === undefined) requireLive({ reader }, 'a copy');
  checked.add(name);
}

/**
 * Ignores a namespace with a deletion that began after it was read: it needs no copy, and that is no refusal.
 */
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
  const inEach = async (kind: KindRef) =>
    (await Promise.all(withRoles.map((namespace) => reader.list(kind, { namespace })))).flat();
  const [namespaces, namesakes, config, roles, roleBindings] = await Promise.all([
    reader.listMetadata(KIND.Namespace),
    reader.list<ClusterServiceVersion>(CSV_API, { fieldSelector: `metadata.name=${csv.metadata.name}` }),
    olmConfigOf(reader),
    inEach(KIND.Role),
    inEach(KIND.RoleBinding),
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
