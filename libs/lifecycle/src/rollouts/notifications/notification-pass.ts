import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import {
  type FleetNotification,
  type FleetNotificationStatus,
  type ReceiverState,
  TEST_ANNOTATION,
} from '#core/kernel/api/fleet/fleet-notification';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { composeMessage } from '#core/rollout/notifications/compose-message';
import { type DeliveryOutcome, dispatched, gathered, settled } from '#core/rollout/notifications/delivery-state';
import { fleetFacts, type NotedObjects } from '#core/rollout/notifications/fleet-facts';
import { notificationStatus, readNotification, withConditions } from '#core/rollout/notifications/notification-status';
import { receiverLogin } from '#core/rollout/notifications/receiver-login';
import { type ReceiverRequest, receiverRequest } from '#core/rollout/notifications/receiver-requests';
import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { troubleOf } from '#platform/kube/errors/api-server-trouble';
import type { Log } from '#platform/telemetry/log.port';

export type NotificationPassOptions = Readonly<{
  hub: KubeClient;
  clock: Clock;
  log: Log;
  /** Sends one request. It never rejects. */
  send: (request: ReceiverRequest) => Promise<DeliveryOutcome>;
  /** Called after each attempt. */
  onAttempt?: ((notification: string, outcome: 'delivered' | 'failed') => void) | undefined;
}>;

type Sent = Readonly<{ name: string; id: string; outcome: DeliveryOutcome }>;
const REF = { apiVersion: FLEET_API, kind: 'FleetNotification' } as const;
const MOST_TRIES = 5;

/**
 * One pass over a FleetNotification: new facts are stored in its status before anything is sent, and outcomes
 * after it. A process that ends in between sends a message again, with the same identity.
 */
export class NotificationPass {
  constructor(private readonly options: NotificationPassOptions) {}

  /** Returns the time at which the next pass is due. Undefined: only after a change. */
  async over(name: string, objects: NotedObjects, signal: AbortSignal): Promise<number | undefined> {
    const object = await this.options.hub.get({ ...REF, name });
    if (object === undefined || isBeingDeleted(object.metadata)) return undefined;
    const notification = readNotification(object);
    if (notification === undefined) {
      await this.#write(object, notificationStatus(object), undefined);
      return undefined;
    }
    const now = this.#now();
    const { annotations = {}, creationTimestamp, uid = name, generation } = object.metadata;
    const finding = {
      facts: fleetFacts(objects, now),
      createdAt: typeof creationTimestamp === 'string' ? creationTimestamp : new Date(now).toISOString(),
      test: annotations[TEST_ANNOTATION],
      ...{ generation, now },
    };
    const before = gathered(notificationStatus(object), notification, finding);
    const { status, due, wakeAt } = dispatched(before, uid, notification.spec, now);
    await this.#write(object, status, notification);
    if (due.length === 0 || signal.aborted) return wakeAt;
    const sending = (status.receivers ?? []).filter((state) => due.includes(state.name));
    const after = await this.#sendAll(notification, sending);
    return dispatched(after, uid, notification.spec, this.#now()).wakeAt;
  }

  /** Stores each outcome as it comes: a receiver that hangs delays that of no other. */
  async #sendAll(notification: FleetNotification, states: readonly ReceiverState[]): Promise<FleetNotificationStatus> {
    const arrived: Sent[] = [];
    let stored: Promise<FleetNotificationStatus> = Promise.resolve({});
    const attempts = states.map(async (state) => {
      arrived.push(await this.#attempted(notification, state));
      stored = stored.then((after) => {
        const sent = arrived.splice(0);
        return sent.length === 0 ? after : this.#settle(notification, sent);
      });
      await stored;
    });
    await Promise.all(attempts);
    return stored;
  }

  /** An error of one attempt must not lose the outcomes of the others. Its text may have secrets. */
  async #attempted(notification: FleetNotification, state: ReceiverState): Promise<Sent> {
    try {
      return await this.#attempt(notification, state);
    } catch (error) {
      const kind = error instanceof Error ? error.name : 'error';
      const failure = `the message could not be written or sent (${kind}): the notifier tries again`;
      this.options.log.warn(
        { notification: notification.metadata.name, receiver: state.name, reason: failure },
        'could not deliver a message',
      );
      return { name: state.name, id: state.sending?.id ?? '', outcome: { failure } };
    }
  }

  async #attempt(notification: FleetNotification, { name, sending }: ReceiverState): Promise<Sent> {
    const id = sending?.id ?? '';
    const receiver = notification.spec.receivers.find((one) => one.name === name);
    if (receiver === undefined || sending === undefined) return { name, id, outcome: { failure: 'no such receiver' } };
    const { type, secretRef } = receiver;
    const place = `${secretRef.namespace}/${secretRef.name}`;
    const found = await this.#secret(secretRef, place);
    const read = 'problem' in found ? found : receiverLogin(type, place, found.secret);
    const request = 'problem' in read ? read : this.#request(notification, type, sending, read.login);
    const outcome = 'problem' in request ? { failure: request.problem } : await this.options.send(request);
    const { name: of } = notification.metadata;
    if (outcome.failure !== undefined) {
      this.options.log.warn(
        { notification: of, receiver: name, reason: outcome.failure },
        'could not deliver a message',
      );
    }
    this.options.onAttempt?.(of, outcome.failure === undefined ? 'delivered' : 'failed');
    return { name, id, outcome };
  }

  #request(
    notification: FleetNotification,
    type: Parameters<typeof receiverRequest>[0],
    sending: NonNullable<ReceiverState['sending']>,
    login: Parameters<typeof receiverRequest>[2],
  ): ReceiverRequest {
    return receiverRequest(type, composeMessage(notification, sending), login, this.#now());
  }

  async #secret(
    { name, namespace }: Readonly<{ name: string; namespace: string }>,
    place: string,
  ): Promise<Readonly<{ secret: KubernetesObject | undefined } | { problem: string }>> {
    try {
      return { secret: await this.options.hub.get({ ...KIND.Secret, name, namespace }) };
    } catch (error) {
      if (!KubeApiError.is(error)) throw error;
      if (KubeApiError.is(error, 'Forbidden')) {
        const remedy = `bind ClusterRole flotilla:notifier-secrets to its account in namespace ${namespace}`;
        return { problem: `the notifier may not read Secret ${place}: ${remedy}` };
      }
      return { problem: `Secret ${place} cannot be read: ${troubleOf(error)}` };
    }
  }

  /** Stores outcomes in the newest status. A change of the object by others must not lose them. */
  async #settle(notification: FleetNotification, sent: readonly Sent[]): Promise<FleetNotificationStatus> {
    const { name } = notification.metadata;
    for (let tries = 1; ; tries += 1) {
      const object = await this.options.hub.get({ ...REF, name });
      if (object === undefined) return {};
      const before = notificationStatus(object);
      const status = sent.reduce((state, one) => settled(state, one, one.outcome, this.#now()), before);
      try {
        // The next pass has to see a generation that came meanwhile.
        return await this.#write(object, status, readNotification(object), before.observedGeneration);
      } catch (error) {
        if (!KubeApiError.is(error, 'Conflict') || tries === MOST_TRIES) throw error;
      }
    }
  }

  async #write(
    object: KubernetesObject,
    status: FleetNotificationStatus,
    notification: FleetNotification | undefined,
    generation = object.metadata.generation,
  ): Promise<FleetNotificationStatus> {
    const at = new Date(this.#now()).toISOString();
    const after = withConditions(status, notification, { generation, at });
    if (!sameJson(after, object['status'] ?? {})) await this.options.hub.updateStatus({ ...object, status: after });
    return after;
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
