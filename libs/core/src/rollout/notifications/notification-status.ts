import {
  FleetNotification,
  FleetNotificationStatus,
  type ReceiverState,
} from '../../kernel/api/fleet/fleet-notification.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { type FoundCondition, mergedConditions, type StoredCondition } from '../../kernel/conditions/condition-list.js';
import { counted } from '../../kernel/text/counted.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { templateProblem } from './compose-message.js';

/** Every condition of a FleetNotification. */
export const NOTIFICATION_CONDITIONS = ['Ready'] as const;

const NAMED = 3;
const LONGEST_MESSAGE = 1_024;

/** Returns the status of an object. A damaged status counts as none. */
export const notificationStatus = ({ status }: KubernetesObject): FleetNotificationStatus =>
  FleetNotificationStatus.safeParse(status ?? {}).data ?? {};

/** Reads a FleetNotification. Returns undefined if it does not follow its schema. */
export const readNotification = (object: KubernetesObject): FleetNotification | undefined =>
  FleetNotification.safeParse(object).data;

/** Returns the status with its conditions. `notification`: undefined if the object cannot be read. */
export function withConditions(
  status: FleetNotificationStatus,
  notification: FleetNotification | undefined,
  { generation, at }: Readonly<{ generation: number | undefined; at: string }>,
): FleetNotificationStatus {
  const before = (status.conditions ?? []) as readonly StoredCondition[];
  const conditions = [...mergedConditions(before, [readiness(status, notification)], at)];
  return { ...status, ...(generation === undefined ? {} : { observedGeneration: generation }), conditions };
}

function readiness(status: FleetNotificationStatus, notification: FleetNotification | undefined): FoundCondition {
  const type = 'Ready';
  if (notification === undefined) {
    const message = 'it does not follow its schema: apply the definitions of k8s/crds/fleet, then correct it';
    return { type, status: 'False', reason: 'InvalidSpec', message };
  }
  const failing = (status.receivers ?? []).filter(({ lastFailure }) => lastFailure !== undefined);
  if (failing.length > 0) return { type, status: 'False', reason: 'DeliveryFails', message: failuresOf(failing) };
  const problem = templateProblem(notification.spec);
  if (problem !== undefined) {
    const message = cutText(`${problem}; messages have the usual text until then`, LONGEST_MESSAGE);
    return { type, status: 'False', reason: 'InvalidTemplate', message };
  }
  const { length } = notification.spec.receivers;
  return { type, status: 'True', reason: 'Delivering', message: counted(length, 'receiver') };
}

function failuresOf(failing: readonly ReceiverState[]): string {
  const named = failing.slice(0, NAMED).map(({ name, lastFailure = '' }) => `${name}: ${lastFailure}`);
  const more = failing.length > NAMED ? [`${failing.length - NAMED} more`] : [];
  return cutText([...named, ...more].join('; '), LONGEST_MESSAGE);
}
