import { type ApiObject, keyOf } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, numberAt, objectAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';
import { type ClusterState, timestamp } from '../state/cluster-state.js';
import { putStatus } from '../store/status-writer.js';

const DEPLOYMENTS = 'deployments.apps';
/** An annotation that keeps a simulated Deployment from ever becoming available. */
export const NEVER_READY = 'simulator.flotilla.dev/never-ready';

/**
 * The labels of the one node that every simulated cluster has; a Deployment that selects another
 * never becomes available.
 */
const NODE_LABELS: Readonly<Record<string, string>> = {
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/hostname': 'node-0',
  'kubernetes.io/os': 'linux',
};

/**
 * Plays the part of Deployment controller, scheduler and kubelet: new specs are rolled
 * out, then become available.
 */
export class DeploymentsController {
  constructor(readonly cluster: ClusterState) {
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  /**
   * Continues the rollouts that had begun in the stored state: a controller that restarts lists the objects,
   * and remembers nothing.
   */
  resume(): void {
    for (const deployment of this.cluster.storage.list(DEPLOYMENTS)) {
      const begun = numberAt(deployment, 'status', 'observedGeneration') === deployment.metadata.generation;
      if (begun && statusOf(deployment, 'Available') === 'False') this.#rollOut(keyOf(deployment), deployment);
    }
  }

  #onChange({ type, resource, object }: Change): void {
    if (resource !== DEPLOYMENTS || type === 'DELETED') return;
    const { generation, namespace, name, uid } = object.metadata;
    const observed = numberAt(object, 'status', 'observedGeneration');
    if (generation === observed) return;
    this.cluster.after(0, () => this.#progress(`${namespace}/${name}`, uid));
  }

  #progress(key: string, uid: string): void {
    const deployment = this.#current(key, uid);
    if (deployment === undefined) return;
    const { generation } = deployment.metadata;
    if (numberAt(deployment, 'status', 'observedGeneration') === generation) return;
    this.#write(deployment, progressing(deployment));
    this.#rollOut(key, deployment);
  }

  #rollOut(key: string, deployment: ApiObject): void {
    const { uid, generation } = deployment.metadata;
    if (!canRun(deployment)) this.#watchDeadline(key, deployment);
    else this.cluster.after(this.cluster.settings.deploymentReadyAfterMs, () => this.#complete(key, uid, generation));
  }

  #complete(key: string, uid: string, generation: number | undefined): void {
    const deployment = this.#current(key, uid);
    if (deployment === undefined || deployment.metadata.generation !== generation) return;
    if (statusOf(deployment, 'Available') !== 'True') this.#write(deployment, available(deployment));
  }

  #watchDeadline(key: string, { metadata, spec }: ApiObject): void {
    const seconds = numberAt(spec, 'progressDeadlineSeconds') ?? 600;
    this.cluster.after(seconds * 1000, () => {
      const deployment = this.#current(key, metadata.uid);
      if (deployment === undefined || deployment.metadata.generation !== metadata.generation) return;
      this.#write(deployment, timedOut(deployment));
    });
  }

  #write(deployment: ApiObject, status: JsonObject): void {
    putStatus(this.cluster, DEPLOYMENTS, deployment, status, 'kube-controller-manager');
  }

  #current(key: string, uid: string): ApiObject | undefined {
    const found = this.cluster.storage.get(DEPLOYMENTS, key);
    return found?.metadata.uid === uid ? found : undefined;
  }
}

function canRun(deployment: ApiObject): boolean {
  const selector = objectAt(deployment, 'spec', 'template', 'spec', 'nodeSelector') ?? {};
  const fits = Object.entries(selector).every(([label, value]) => NODE_LABELS[label] === value);
  return fits && deployment.metadata.annotations?.[NEVER_READY] !== 'true';
}

const replicasOf = (deployment: ApiObject): number => numberAt(deployment, 'spec', 'replicas') ?? 1;
const replicaSetName = ({ metadata }: ApiObject): string => `${metadata.name}-${metadata.generation ?? 1}`;

type Condition = { type: string; status: string; reason: string; message: string };

const conditionOf = (deployment: ApiObject, type: string): JsonObject | undefined =>
  arrayAt(deployment, 'status', 'conditions')
    .filter(isObject)
    .find((entry) => entry.type === type);
const statusOf = (deployment: ApiObject, type: string): unknown => conditionOf(deployment, type)?.status;

/** The condition with its times: the transition time moves only with the status. */
function dated(deployment: ApiObject, next: Condition): JsonObject {
  const old = conditionOf(deployment, next.type);
  const { type, status, reason, message } = next;
  const since = old?.status === status ? old.lastTransitionTime : timestamp();
  return { type, status, lastUpdateTime: timestamp(), lastTransitionTime: since, reason, message };
}

function progressing(deployment: ApiObject): JsonObject {
  const replicas = replicasOf(deployment);
  return {
    observedGeneration: deployment.metadata.generation,
    replicas,
    updatedReplicas: replicas,
    unavailableReplicas: replicas,
    conditions: [
      dated(deployment, {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }),
      dated(deployment, {
        type: 'Progressing',
        status: 'True',
        reason: 'ReplicaSetUpdated',
        message: `ReplicaSet "${replicaSetName(deployment)}" is progressing.`,
      }),
    ],
  };
}

function available(deployment: ApiObject): JsonObject {
  const replicas = replicasOf(deployment);
  const counts =
    replicas === 0 ? {} : { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  return {
    observedGeneration: deployment.metadata.generation,
    ...counts,
    conditions: [
      dated(deployment, {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }),
      dated(deployment, {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `ReplicaSet "${replicaSetName(deployment)}" has successfully progressed.`,
      }),
    ],
  };
}

function timedOut(deployment: ApiObject): JsonObject {
  const status = progressing(deployment);
  const [first] = arrayAt(status, 'conditions');
  const late = dated(deployment, {
    type: 'Progressing',
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message: `ReplicaSet "${replicaSetName(deployment)}" has timed out progressing.`,
  });
  return { ...status, conditions: [first, late] };
}
