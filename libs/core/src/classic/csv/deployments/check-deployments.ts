import { z } from 'zod';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { strategyDeployments } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels } from '../../../kernel/api/owner-labels.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { perObject } from '../../../kernel/memo/per-object.js';
import type { ComponentProblem } from '../world/component-problem.js';
import type { CsvWorld } from '../world/csv-world.js';
import { podAnnotationsOf } from '../world/hub-annotations.js';
import {
  DEPLOYMENT_SPEC_HASH_LABEL,
  ownedDeployments,
  type WantedDeployment,
  wantedDeployments,
} from './install-deployments.js';

const DeploymentView = z.looseObject({
  spec: z
    .looseObject({
      template: z
        .looseObject({
          metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).nullish() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  status: z
    .looseObject({
      observedGeneration: z.number().nullish(),
      replicas: z.number().nullish(),
      updatedReplicas: z.number().nullish(),
      conditions: z
        .array(
          z.looseObject({
            type: z.string(),
            status: z.string(),
            reason: z.string().nullish(),
            message: z.string().nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});
type DeploymentView = z.infer<typeof DeploymentView>;

/**
 * Returns the first problem of the CSV's Deployments, in the CSV's order. Undefined if all are healthy (§5,
 * Check).
 */
export function checkDeployments(csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined {
  const owned = ownedDeployments(csv, world);
  for (const wanted of wantedDeployments(csv, world)) {
    const live = owned.find(({ metadata }) => metadata.name === wanted.name);
    if (live === undefined) return { kind: 'waiting', message: `missing deployment with name=${wanted.name}` };
    const problem = rolloutProblem(wanted.name, live) ?? driftProblem(csv, wanted, live);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Returns the first of the CSV's Deployments that must be reinstalled. It is missing, or belongs to a CSV of
 * the namespace that is being replaced and so never reinstalls it.
 */
export const missingDeployment = (csv: ClusterServiceVersion, world: CsvWorld): string | undefined =>
  strategyDeployments(csv).find(({ name }) => {
    const live = world.deployments.find(({ metadata }) => metadata.name === name);
    return (
      live === undefined || world.csvs.some((owner) => isBeingReplaced(owner) && hasLabels(live, csvOwnerLabels(owner)))
    );
  })?.name;

/** True if a Deployment of the CSV belongs to one of `owners`. */
export const hasDeploymentOf = (csv: ClusterServiceVersion, owners: CsvWorld['csvs'], world: CsvWorld): boolean =>
  strategyDeployments(csv).some(({ name }) => {
    const live = world.deployments.find(({ metadata }) => metadata.name === name);
    return live !== undefined && owners.some((owner) => hasLabels(live, csvOwnerLabels(owner)));
  });

const isBeingReplaced = ({ status }: ClusterServiceVersion): boolean =>
  status?.phase === 'Replacing' || status?.phase === 'Deleting';

const viewOf = perObject((live: KubernetesObject): DeploymentView => {
  const parsed = DeploymentView.safeParse(live);
  return parsed.success ? parsed.data : {};
});

/** The annotations of a Deployment's pods. */
export const podAnnotations = (live: KubernetesObject): Readonly<Record<string, string>> | null | undefined =>
  viewOf(live).spec?.template?.metadata?.annotations;

/** Checks the progress of the rollout: observed, within its deadline, old replicas gone, Available. */
function rolloutProblem(name: string, live: KubernetesObject): ComponentProblem | undefined {
  const { status } = viewOf(live);
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
  const waiting = (why: string): ComponentProblem => ({
    kind: 'waiting',
    message: `waiting for deployment ${name} to become ready: ${why}`,
  });
  if ((live.metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) {
    return waiting(`waiting for spec update of deployment "${name}" to be observed...`);
  }
  if (condition('Progressing')?.reason === 'ProgressDeadlineExceeded') {
    const message = `deployment ${name} not ready before timeout: deployment "${name}" exceeded its progress deadline`;
    return { kind: 'unrecoverable', message };
  }
  const outdated = (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  if (outdated > 0) return waiting(`deployment "${name}" waiting for ${outdated} outdated replica(s) to be terminated`);
  const available = condition('Available');
  if (available?.status === 'True') return undefined;
  const why = available === undefined ? 'missing condition "Available"' : (available.message ?? '');
  return waiting(`deployment "${name}" not available: ${why}`);
}

/** Returns a problem if the Deployment differs from the CSV's, by annotations and by its hash label. */
function driftProblem(
  csv: ClusterServiceVersion,
  wanted: WantedDeployment,
  live: KubernetesObject,
): ComponentProblem | undefined {
  const drifted = (message: string): ComponentProblem => ({ kind: 'drifted', message });
  const expected = Object.entries(podAnnotationsOf(csv)).sort(([a], [b]) => byCodeUnit(a, b));
  const found = podAnnotations(live);
  if (expected.length > 0 && !found) return drifted('no annotations found on deployment');
  for (const [key, value] of expected) {
    const actual = found?.[key];
    if (actual === undefined) return drifted(`annotations on deployment does not contain expected key: ${key}`);
    if (actual !== value) {
      return drifted(`unexpected annotation on deployment. Expected ${key}:${value}, found ${key}:${actual}`);
    }
  }
  if (hashOf(live) === undefined) return drifted(`deployment ${wanted.name} doesn't have a spec hash, update it`);
  const change = hashChange(wanted, live);
  return change === undefined ? undefined : drifted(change);
}

const hashOf = ({ metadata }: KubernetesObject): string | undefined => metadata.labels?.[DEPLOYMENT_SPEC_HASH_LABEL];

function hashChange(wanted: WantedDeployment, live: KubernetesObject): string | undefined {
  const hash = hashOf(live);
  if (hash === undefined || hash === wanted.hash) return undefined;
  return `deployment changed old hash=${hash}, new hash=${wanted.hash}`;
}

/** The first Deployment that this CSV has installed with another spec than it asks for now, in words. */
export function outdatedDeployment(csv: ClusterServiceVersion, world: CsvWorld): string | undefined {
  const owned = ownedDeployments(csv, world);
  for (const wanted of wantedDeployments(csv, world)) {
    const live = owned.find(({ metadata }) => metadata.name === wanted.name);
    const change = live && hashChange(wanted, live);
    if (change !== undefined) return change;
  }
  return undefined;
}
