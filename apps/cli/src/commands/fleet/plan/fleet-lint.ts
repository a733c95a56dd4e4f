import type { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetStrategy, WaveSpec } from '#core/kernel/api/fleet/fleet-strategy';
import type { FleetWindow } from '#core/kernel/api/fleet/fleet-window';
import { counted } from '#core/kernel/text/counted';
import type { FleetFiles, FleetSubject } from '#core/rollout/controller/record/subjects';
import { isTargetOf, selectorFailureOn } from '#core/rollout/controller/record/targets';
import { catalogProblem, stagedProblem } from '#core/rollout/placement/catalog-problem';
import type { SelectedCluster } from '#core/rollout/placement/select-clusters';
import { selectorProblem } from '#core/rollout/placement/select-clusters';
import type { SubjectProblem } from '#core/rollout/placement/subject-problem';
import { cutsOf, orderOf, waveOf, wavesOf } from '#core/rollout/placement/waves';
import { deniesReturns } from '#core/rollout/review/class-approval';
import { selectorFailureText } from '#core/rollout/status/selector-failures';

/** A cluster, as plans and lint read it. */
export type LintedCluster = SelectedCluster & Readonly<{ allowedNamespaces: readonly string[] | undefined }>;

/** The input of the checks: the objects that people wrote, and the existing clusters. */
export type LintedFleet = Readonly<{
  operators: readonly FleetOperator[];
  catalogs: readonly FleetCatalog[];
  strategies: readonly FleetStrategy[];
  windows: readonly FleetWindow[];
  files: FleetFiles;
  clusters: readonly LintedCluster[];
}>;

/** A wave of a subject as it would be cut now. */
export type PlannedWave = Readonly<{ name: string; members: number; share: string; soak: string; isImplicit: boolean }>;

/** Returns the clusters that must get a subject. */
export const targetsOf = (subject: FleetSubject, { clusters }: LintedFleet): LintedCluster[] =>
  clusters.filter((cluster) => isTargetOf(subject, cluster));

/** The waves of a subject with their members, if a rollout began now. */
export function plannedWaves(subject: FleetSubject, fleet: LintedFleet): PlannedWave[] {
  const waves = wavesOf(subject.strategy);
  const targets = targetsOf(subject, fleet);
  // The order of a rollout that does not exist yet: sizes are the same in every order.
  const uid = `preview/${subject.key}`;
  const cuts = cutsOf(waves, targets, uid);
  const members = targets.map((cluster) => waveOf(waves, cuts, cluster, orderOf(uid, cluster.name)));
  return waves.map(({ name, spec }, at) => ({
    name,
    members: members.filter((wave) => wave === at).length,
    share: shareText(spec),
    soak: spec.soak,
    isImplicit: at === waves.length - 1,
  }));
}

/** Returns the share of its selected clusters that a wave takes. */
export function shareText({ percent, count }: Partial<Pick<WaveSpec, 'percent' | 'count'>>): string {
  if (percent !== undefined) return `${percent}%`;
  return count === undefined ? 'all that match' : `${count}`;
}

/** Returns probable mistakes, one line each. The API server refuses none of them. */
export function lintOf(subject: FleetSubject, fleet: LintedFleet): string[] {
  const { kind, namespace } = subject;
  const name = subject.key.split('/')[2] ?? '';
  const object = (kind === 'FleetOperator' ? fleet.operators : fleet.catalogs).find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  const strategy = object?.spec.strategyRef?.name;
  const targets = targetsOf(subject, fleet);
  return [
    ...(strategy !== undefined && !hasName(fleet.strategies, namespace, strategy)
      ? [`there is no FleetStrategy ${namespace}/${strategy}: no rollout begins until it exists`]
      : []),
    ...catalogLint(object, fleet),
    ...selectorLint(`clusters of ${kind} ${name}`, object?.spec.clusters),
    ...(targets.length === 0 ? [noTargetText(subject, fleet)] : failureLint(subject, fleet)),
    ...(targets.length === 0 ? [] : waveLint(subject, fleet)),
    ...conflictLint(subject, fleet, targets),
    ...approvalLint(subject),
    ...(subject.isPaused ? ['spec.paused is set: nothing will start'] : []),
  ];
}

/** Says why no cluster is to have it: there is none, its expression fails, or its selector matches none. */
function noTargetText(subject: FleetSubject, fleet: LintedFleet): string {
  if (fleet.clusters.length === 0) return 'there is no FleetCluster: nothing will be rolled out';
  const [failure] = failureLint(subject, fleet);
  return failure === undefined
    ? 'no cluster is selected: nothing will be rolled out'
    : `nothing will be rolled out: ${failure}`;
}

const hasName = (
  objects: readonly Readonly<{ metadata: Readonly<{ name: string; namespace?: string }> }>[],
  namespace: string,
  name: string,
): boolean => objects.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);

function catalogLint(object: FleetOperator | FleetCatalog | undefined, { catalogs }: LintedFleet): string[] {
  if (object === undefined) return [];
  const saying = (problem: SubjectProblem | undefined) => (problem === undefined ? [] : [problem.message]);
  if (object.kind === 'FleetCatalog') return saying(stagedProblem(object));
  const { fleetCatalog } = object.spec.catalog;
  if (fleetCatalog === undefined) return [];
  const { namespace } = object.metadata;
  const found = catalogs.find(({ metadata }) => metadata.name === fleetCatalog && metadata.namespace === namespace);
  if (found === undefined) return [`there is no FleetCatalog ${namespace}/${fleetCatalog}`];
  return saying(catalogProblem(object, found));
}

function selectorLint(what: string, selector: Parameters<typeof selectorProblem>[0]): string[] {
  const problem = selectorProblem(selector);
  return problem === undefined ? [] : [`${what} match none: ${problem}`];
}

/** Returns the failures of a subject's expressions. */
function failureLint(subject: FleetSubject, { clusters }: LintedFleet): string[] {
  const failed = clusters.flatMap((cluster) => {
    const failure = selectorFailureOn(subject, cluster);
    return failure === undefined ? [] : [{ cluster: cluster.name, ...failure }];
  });
  const text = selectorFailureText(failed);
  return text === undefined ? [] : [text];
}

function waveLint(subject: FleetSubject, fleet: LintedFleet): string[] {
  const waves = plannedWaves(subject, fleet);
  const named = waves.filter(({ isImplicit }) => !isImplicit);
  const rest = waves.at(-1);
  const { spec } = wavesOf(subject.strategy).at(-2) ?? {};
  return [
    ...named
      .filter(({ members }) => members === 0)
      .map(({ name }) => `wave ${name} selects no cluster: it completes at once, without its soak and checks`),
    ...wavesOf(subject.strategy).flatMap((wave) => selectorLint(`clusters of wave ${wave.name}`, wave.spec.clusters)),
    ...(rest !== undefined && rest.members > 0 && named.length > 0
      ? [
          `${counted(rest.members, 'cluster')} in no wave of the strategy: they follow in wave rest with the settings of wave ${spec?.name ?? ''}`,
        ]
      : []),
  ];
}

function approvalLint({ strategy }: FleetSubject): string[] {
  const { onFailure, onClusterFailure, approval } = strategy;
  const goesBack =
    onFailure !== 'Halt'
      ? `onFailure: ${onFailure}`
      : onClusterFailure === 'RollBack'
        ? 'onClusterFailure: RollBack'
        : '';
  if (goesBack === '' || !deniesReturns(approval)) return [];
  return [`a rule of approval denies Rollback, so ${goesBack} rolls nothing back`];
}

function conflictLint(subject: FleetSubject, { files }: LintedFleet, targets: readonly LintedCluster[]): string[] {
  const { place } = subject;
  if (place === undefined) return [];
  for (const other of files.subjects.values()) {
    if (other.key === subject.key) return [];
    if (other.place?.package !== place.package || other.place.namespace !== place.namespace) continue;
    const both = targets.filter((cluster) => isTargetOf(other, cluster)).length;
    if (both > 0)
      return [
        `${other.key} is older and has ${place.package} in namespace ${place.namespace} of ${counted(both, 'of these clusters', 'of these clusters')}, too`,
      ];
  }
  return [];
}
