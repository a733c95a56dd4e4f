import { z } from 'zod';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';

/** A Deployment of an operator with its pods, as far as a restart shows in it. */
export const Workload = z.object({
  /** `namespace/name` of the Deployment. */
  name: z.string(),
  uid: z.string(),
  generation: z.number(),
  /** Pods by name: the UID, and the number of restarts of the containers. */
  pods: z.record(z.string(), z.object({ uid: z.string(), restarts: z.number() })),
});
export type Workload = z.infer<typeof Workload>;

/** Returns the facts to keep about a Deployment and its pods. */
export function workloadOf(deployment: KubernetesObject, pods: readonly KubernetesObject[]): Workload {
  const { namespace = '', name = '', uid = '', generation } = deployment.metadata;
  const ofPods = pods.map((pod) => {
    const restarts = asList(asRecord(pod['status'])['containerStatuses'])
      .map((container) => Number(asRecord(container)['restartCount'] ?? 0))
      .reduce((sum, count) => sum + count, 0);
    return [pod.metadata.name ?? '', { uid: asText(pod.metadata.uid), restarts }] as const;
  });
  return {
    name: `${namespace}/${name}`,
    uid,
    generation: typeof generation === 'number' ? generation : 0,
    pods: Object.fromEntries(ofPods.toSorted(([a], [b]) => byCodeUnit(a, b))),
  };
}

/** Returns the changes in the workloads of operators, one line each. Empty if all keep running unchanged. */
export function workloadChanges(before: readonly Workload[], after: readonly Workload[]): readonly string[] {
  const now = new Map(after.map((workload) => [workload.name, workload]));
  return before.flatMap((old) => {
    const found = now.get(old.name);
    if (found === undefined) return [`Deployment ${old.name} is gone`];
    if (found.uid !== old.uid) return [`Deployment ${old.name} was recreated`];
    if (found.generation !== old.generation) return [`Deployment ${old.name} was changed`];
    return Object.entries(old.pods).flatMap(([name, pod]) => {
      const left = found.pods[name];
      if (left === undefined || left.uid !== pod.uid) return [`pod ${name} of Deployment ${old.name} is gone`];
      return left.restarts === pod.restarts ? [] : [`pod ${name} of Deployment ${old.name} was restarted`];
    });
  });
}
