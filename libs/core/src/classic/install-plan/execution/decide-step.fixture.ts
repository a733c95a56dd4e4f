import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { stepOf } from '../steps/install-plan-step.js';
import {
  emptyWorld,
  type StepAnswer,
  type StepContext,
  type StepDecision,
  type StepRead,
  type StepWorld,
  withAnswer,
} from '../steps/step-world.js';
import { decideStep } from './decide-step.js';
import { readsForStep } from './reads-for-step.js';

export const context: StepContext = {
  plan: { name: 'install-1', namespace: 'harbour', uid: 'plan-uid', startTime: '2026-01-01T00:00:00Z' },
  clusterServiceVersionNames: ['tug.v1'],
  operatorNamespace: 'olm',
  now: '2026-01-01T00:00:10Z',
  retryTimeoutMs: 60_000,
  migrateStoredVersions: false,
};
export const csv = (name: string, more: Record<string, unknown> = {}, namespace = 'harbour'): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name, namespace, uid: `uid-${name}` },
  spec: {},
  ...more,
});
export const object = (kind: string, more: Record<string, unknown> = {}, apiVersion = 'v1'): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: 'it' },
  ...more,
});
export const step = (made: KubernetesObject, status = 'Unknown', resolving = 'tug.v1'): InstallPlanStep => ({
  ...stepOf(made, { resolving, sourceName: 'shelf', sourceNamespace: 'olm' }),
  status,
});

const same = (
  a: KubernetesObject,
  b: { apiVersion: string; kind: string; name: string; namespace?: string | undefined },
) =>
  a.apiVersion === b.apiVersion &&
  a.kind === b.kind &&
  a.metadata.name === b.name &&
  a.metadata.namespace === b.namespace;

/** Asks and answers until nothing is left to read, then decides, as a shell does. */
export function decide(
  one: InstallPlanStep,
  cluster: readonly KubernetesObject[],
  broken?: string,
  within: StepContext = context,
): StepDecision {
  let world: StepWorld = emptyWorld;
  for (let reads = readsForStep(one, within, world); reads.length > 0; reads = readsForStep(one, within, world)) {
    for (const read of reads) world = withAnswer(world, read, answerOf(read, cluster, broken));
  }
  return decideStep(one, within, world);
}

function answerOf(read: StepRead, cluster: readonly KubernetesObject[], broken: string | undefined): StepAnswer {
  if (read.read === 'access') throw new Error('no account is named here');
  const kind = read.read === 'get' ? read.ref.kind : read.kind;
  if (kind === broken) return { failed: 'the server is on strike', forbidden: true };
  if (read.read === 'get') return { object: cluster.find((live) => same(live, read.ref)) };
  return { list: cluster.filter((live) => live.kind === read.kind && live.apiVersion === read.apiVersion) };
}
export const live = (
  kind: string,
  more: Record<string, unknown> = {},
  apiVersion = 'v1',
  namespace: string | undefined = 'harbour',
) => ({
  ...object(kind, more, apiVersion),
  metadata: { name: 'it', namespace, uid: 'live-uid', resourceVersion: '42', ...(more['metadata'] as object) },
});
export const RBAC = 'rbac.authorization.k8s.io/v1';
export const clusterWide = (kind: string, more: Record<string, unknown> = {}, apiVersion = RBAC): KubernetesObject => {
  const { namespace: _none, ...metadata } = live(kind, more, apiVersion).metadata;
  return { ...live(kind, more, apiVersion), metadata };
};
