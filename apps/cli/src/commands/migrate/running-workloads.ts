import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { asRecord } from '#core/kernel/crd/loose-value';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { DEPLOYMENT, podsOf } from '../clusters/handover/olm-in-cluster.js';
import type { RunningWorkload } from './migration-record.js';

/** The Deployments among these objects, as they run now. */
export async function runningWorkloads(client: KubeClient, refs: readonly ObjectRef[]): Promise<RunningWorkload[]> {
  const deployments = refs.filter(
    ({ kind, apiVersion }) => kind === DEPLOYMENT.kind && apiVersion === DEPLOYMENT.apiVersion,
  );
  const found = await Promise.all(deployments.map((ref) => client.get<KubernetesObject>(ref)));
  return Promise.all(
    found.flatMap((deployment) =>
      deployment === undefined ? [] : [running(client, { ...deployment, ...DEPLOYMENT })],
    ),
  );
}

async function running(client: KubeClient, deployment: KubernetesObject): Promise<RunningWorkload> {
  const { namespace, name, uid = '' } = deployment.metadata;
  const pods = (await podsOf(client, deployment)).map((pod) => pod.metadata.uid ?? '').sort();
  const template = canonicalHash(asRecord(deployment['spec'])['template']);
  return { name: `${namespace}/${name}`, uid, template, pods };
}

/** Returns the workloads that do not run as before, one line each. */
export const workloadTroubles = (
  before: readonly RunningWorkload[],
  after: readonly RunningWorkload[],
): readonly string[] =>
  before.flatMap((old) => {
    const now = after.find(({ name }) => name === old.name);
    if (now === undefined) return [`Deployment ${old.name} is gone`];
    if (now.uid !== old.uid) return [`Deployment ${old.name} was recreated`];
    if (now.template !== old.template) return [`the pod template of Deployment ${old.name} was changed`];
    return old.pods.every((pod) => now.pods.includes(pod)) ? [] : [`pods of Deployment ${old.name} are gone`];
  });
