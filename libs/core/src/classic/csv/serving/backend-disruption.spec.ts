import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { gear, NOW, world } from '../world/csv-world.fixture.js';
import { isBackendDisrupted } from './backend-disruption.js';

const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000).toISOString();
const deployment = (status: object): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'gear', namespace: 'mill' },
  spec: { selector: { matchLabels: { app: 'gear' } } },
  status,
});
const away = { replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 };
const pod = (status: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'gear-1', labels: { app: 'gear' }, creationTimestamp: secondsAgo(60), ...metadata },
  status,
});
const waiting = (reason: string) => [{ state: { waiting: { reason } } }];
const unschedulable = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];

type Row = Readonly<{ because: string; status?: object; pods: readonly KubernetesObject[]; disrupted: boolean }>;
const rows: readonly Row[] = [
  {
    because: 'a pod is terminating',
    pods: [pod({ phase: 'Running' }, { deletionTimestamp: secondsAgo(1) })],
    disrupted: true,
  },
  { because: 'a pod is pending without statuses', pods: [pod({ phase: 'Pending' })], disrupted: true },
  ...['ContainerCreating', 'PodInitializing'].flatMap((reason) => [
    {
      because: `pending, ${reason}`,
      pods: [pod({ phase: 'Pending', containerStatuses: waiting(reason) })],
      disrupted: true,
    },
    {
      because: `pending, an init container ${reason}`,
      pods: [pod({ phase: 'Pending', initContainerStatuses: waiting(reason) })],
      disrupted: true,
    },
    {
      because: `running, ${reason}`,
      pods: [pod({ phase: 'Running', containerStatuses: waiting(reason) })],
      disrupted: true,
    },
  ]),
  ...['ImagePullBackOff', 'ErrImagePull', 'CrashLoopBackOff', 'CreateContainerConfigError', 'InvalidImageName'].map(
    (reason) => ({
      because: reason,
      pods: [pod({ phase: 'Pending', containerStatuses: waiting(reason) })],
      disrupted: false,
    }),
  ),
  { because: 'Unschedulable', pods: [pod({ phase: 'Pending', conditions: unschedulable })], disrupted: false },
  {
    because: 'the pod is older than 5 min',
    pods: [pod({ phase: 'Pending' }, { creationTimestamp: secondsAgo(301) })],
    disrupted: false,
  },
  {
    because: 'the pod is of another Deployment',
    pods: [pod({ phase: 'Pending' }, { labels: { app: 'other' } })],
    disrupted: false,
  },
  { because: 'there is no pod', pods: [], disrupted: false },
  { because: 'the pod runs', pods: [pod({ phase: 'Running', containerStatuses: [{ state: {} }] })], disrupted: false },
  {
    because: 'the Deployment is whole',
    status: { replicas: 1, updatedReplicas: 1 },
    pods: [pod({ phase: 'Pending' })],
    disrupted: false,
  },
  {
    because: 'the Deployment is rolling out',
    status: { replicas: 2, updatedReplicas: 1 },
    pods: [pod({ phase: 'Pending' })],
    disrupted: true,
  },
];

describe('csv-lifecycle.md §5, backend pods in short disruption', () => {
  it.each(rows)('$because → disrupted: $disrupted', ({ status = away, pods, disrupted }) => {
    expect(isBackendDisrupted(gear('v1'), world({ deployments: [deployment(status)], pods }))).toBe(disrupted);
  });
});
