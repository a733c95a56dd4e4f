import { type FleetObject, fleetKey } from '#core/kernel/api/fleet/fleet-kinds';
import { FleetFiles, type FleetSubject } from '#core/rollout/controller/record/subjects';
import { readFleetObject } from '#core/rollout/kinds/read-fleet-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { readManifests } from '../../../inputs/read-manifests.js';
import type { AnswerFormat } from '../../../output/output-option.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { readFleet } from '../hub/read-fleet.js';
import { type LintedCluster, type LintedFleet, lintOf, plannedWaves, targetsOf } from './fleet-lint.js';
import { printPlans } from './show-plan.js';

/**
 * Runs `flotilla fleet plan -f`: prints waves and lint of manifests before they are applied. The clusters are
 * those of the files; if the files have none, those of the hub.
 */
export async function planFiles(
  files: readonly string[],
  hub: KubeClient | undefined,
  io: Io,
  output: AnswerFormat,
): Promise<void> {
  const objects = await readObjects(files, io);
  const linted = await fleetOf(objects, hub);
  const plans = [...linted.files.subjects.values()].map((subject) => ({
    name: subject.rolloutPrefix,
    subject: subject.key,
    clusters: targetsOf(subject, linted).length,
    unplanned: targetsOf(subject, linted).length,
    waves: plannedWaves(subject, linted),
    classes: [],
    lint: lintOf(subject, linted),
    ...adoptionOf(subject, linted),
  }));
  await printPlans(io, plans, output);
}

/** Names the changes that adopting makes to existing objects; the update of a catalog comes after them. */
const ADOPTION: Readonly<Record<'Classic' | 'V1', string>> = {
  Classic:
    'ConfigChange in each cluster that has its Subscription: installPlanApproval: Manual, the catalog by digest, labels; an update of its catalog is included',
  V1: 'ConfigChange in each cluster that has its ClusterExtension: one exact version, the catalog by digest, labels; an update of its catalog is included',
};

function adoptionOf({ key }: FleetSubject, { operators }: LintedFleet): Readonly<{ adoption?: string }> {
  const operator = operators.find((one) => fleetKey(one) === key);
  return operator?.spec.adopt === true ? { adoption: ADOPTION[operator.spec.api] } : {};
}

/** Every object, checked as an API server with the CRDs checks it. @throws UsageError naming all problems */
async function readObjects(files: readonly string[], io: Io): Promise<FleetObject[]> {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  const objects = (await readManifests(files, io.stdin)).flatMap(({ object, where }) => {
    const read = readFleetObject(object);
    if ('other' in read) return [];
    if ('problem' in read) {
      problems.push(`${where}: ${read.problem}`);
      return [];
    }
    const key = fleetKey(read.object);
    const before = seen.get(key);
    if (before !== undefined) problems.push(`${where}: ${key} is already defined in ${before}`);
    seen.set(key, where);
    return [read.object];
  });
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return objects;
}

async function fleetOf(objects: readonly FleetObject[], hub: KubeClient | undefined): Promise<LintedFleet> {
  const of = <K extends FleetObject['kind']>(kind: K) =>
    objects.filter((object): object is Extract<FleetObject, { kind: K }> => object.kind === kind);
  const own = of('FleetCluster').map(
    ({ metadata, spec }): LintedCluster => ({
      name: metadata.name,
      labels: metadata.labels ?? {},
      facts: {},
      allowedNamespaces: spec.allowedNamespaces,
    }),
  );
  const live = own.length > 0 || hub === undefined ? [] : [...(await readFleet(hub, new Date())).clusters.values()];
  return {
    operators: of('FleetOperator'),
    catalogs: of('FleetCatalog'),
    strategies: of('FleetStrategy'),
    windows: of('FleetWindow'),
    files: new FleetFiles(objects),
    clusters: own.length > 0 ? own : live,
  };
}
