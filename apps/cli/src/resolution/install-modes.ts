import type { CatalogBundle } from '#core/catalog/model/catalog';
import { type ModesOfCsv, unsupportedTargets } from '#core/classic/csv/phases/install-modes';
import { targetsOf } from '#core/classic/operator-group/group-facts';
import { saysNothing, selectTargets } from '#core/classic/operator-group/select-targets';
import type { ObservedNamespace } from '#core/classic/resolution/problem/resolution-problem';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import { recordsAt, textAt } from '#core/kernel/json/json-access';
import { verdictLine } from '#core/kernel/verdict/verdict-line';

/** Sources of a bundle's install modes: its manifests, otherwise the CSV metadata of its catalog. */
type ModeSources = Readonly<{
  manifests: readonly KubernetesObject[] | undefined;
  blob: CatalogBundle | undefined;
}>;

/**
 * Returns why the CSV of a bundle would fail with UnsupportedOperatorGroup in a namespace, as one line;
 * undefined if it would not, or if that is not known.
 */
export function groupProblem(
  bundle: string,
  { namespace, operatorGroups }: ObservedNamespace,
  sources: ModeSources,
): string | undefined {
  const [group, ...others] = operatorGroups;
  const modes = modesOf(sources);
  const targets = group === undefined || others.length > 0 ? undefined : targetsIn(group);
  if (group === undefined || targets === undefined || modes === undefined) return undefined;
  const unsupported = unsupportedTargets(modes, namespace, targets);
  if (unsupported === undefined) return undefined;
  return verdictLine(
    [`${bundle} with OperatorGroup ${group.metadata.name ?? ''}`],
    `UnsupportedOperatorGroup: ${unsupported}`,
  );
}

/**
 * Returns the targets in the group's spec. Namespaces that a selector finds are known from its status alone.
 */
function targetsIn(group: OperatorGroup): readonly string[] | undefined {
  const isSelected = (group.spec?.targetNamespaces ?? []).length === 0 && !saysNothing(group.spec?.selector);
  if (isSelected) return targetsOf(group);
  const found = selectTargets(group, []);
  return 'targets' in found ? found.targets : undefined;
}

function modesOf({ manifests, blob }: ModeSources): ModesOfCsv | undefined {
  const csv = (manifests ?? blob?.objects)?.find((object) => object['kind'] === 'ClusterServiceVersion');
  if (csv !== undefined) return { spec: { installModes: listed(csv, 'spec', 'installModes') } };
  const described = blob?.properties.find(({ type }) => type === 'olm.csv.metadata');
  const modes = listed(described?.value, 'installModes');
  return modes.length === 0 ? undefined : { spec: { installModes: modes } };
}

const listed = (value: unknown, ...path: readonly string[]) =>
  recordsAt(value, ...path).map((mode) => ({ type: textAt(mode, 'type'), supported: mode['supported'] === true }));
