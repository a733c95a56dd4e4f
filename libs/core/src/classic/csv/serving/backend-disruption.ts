import { z } from 'zod';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { strategyDeployments } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { matches } from '../../operator-group/select-targets.js';
import type { CsvWorld } from '../world/csv-world.js';

/** A pod that takes longer than this does not merely move. */
const SHORT_MS = 5 * 60_000;

const Deployment = z.looseObject({
  spec: z.looseObject({
    selector: z.looseObject({
      matchLabels: z.record(z.string(), z.string()).optional(),
      matchExpressions: z
        .array(z.looseObject({ key: z.string(), operator: z.string(), values: z.array(z.string()).optional() }))
        .optional(),
    }),
  }),
  status: z.looseObject({
    replicas: z.number().nullish(),
    updatedReplicas: z.number().nullish(),
    unavailableReplicas: z.number().nullish(),
  }),
});

const Containers = z
  .array(
    z.looseObject({
      state: z.looseObject({ waiting: z.looseObject({ reason: z.string().nullish() }).nullish() }).nullish(),
    }),
  )
  .nullish();
const Pod = z.looseObject({
  status: z.looseObject({
    phase: z.string().nullish(),
    conditions: z
      .array(z.looseObject({ type: z.string(), status: z.string(), reason: z.string().nullish() }))
      .nullish(),
    containerStatuses: Containers,
    initContainerStatuses: Containers,
  }),
});
type PodStatus = z.infer<typeof Pod>['status'];

/** Reasons of a waiting container while its pod starts normally. */
const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
/** Reasons of a waiting container that will not start by itself. */
const BROKEN: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'InvalidImageName',
]);

/**
 * True if the pods behind an operator's APIs are only being moved, as when nodes are drained: young pods that
 * end or start. All its Deployments count, as in OLM (spec: csv-lifecycle.md §5, "short disruption").
 */
export const isBackendDisrupted = (csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  strategyDeployments(csv).some(({ name }) => {
    const live = Deployment.safeParse(world.deployments.find(({ metadata }) => metadata.name === name));
    if (!live.success) return false;
    const { spec, status } = live.data;
    const whole = !status.unavailableReplicas && (status.updatedReplicas ?? 0) >= (status.replicas ?? 0);
    if (whole) return false;
    return world.pods
      .filter(({ metadata }) => matches(spec.selector, metadata.labels ?? {}))
      .some((pod) => isOnTheMove(pod, world.now));
  });

function isOnTheMove(pod: KubernetesObject, now: Date): boolean {
  const { creationTimestamp, deletionTimestamp } = pod.metadata;
  if (now.getTime() - Date.parse(creationTimestamp ?? '') > SHORT_MS) return false;
  if (deletionTimestamp !== undefined) return true;
  const view = Pod.safeParse(pod);
  if (!view.success) return false;
  const { status } = view.data;
  return status.phase === 'Pending' ? isStarting(status) : waitingReasons(status.containerStatuses).some(isStart);
}

/** True if a pending pod starts normally, or has no status of its containers yet. */
function isStarting({ conditions, containerStatuses, initContainerStatuses }: PodStatus): boolean {
  const reasons = [...waitingReasons(containerStatuses), ...waitingReasons(initContainerStatuses)];
  const unschedulable = (conditions ?? []).some(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (unschedulable || reasons.some((reason) => BROKEN.has(reason))) return false;
  return reasons.some(isStart) || [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])].length === 0;
}

const isStart = (reason: string): boolean => STARTING.has(reason);

const waitingReasons = (containers: z.infer<typeof Containers>): readonly string[] =>
  (containers ?? []).flatMap(({ state }) => state?.waiting?.reason ?? []);
