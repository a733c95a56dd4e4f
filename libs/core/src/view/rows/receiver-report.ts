import { z } from 'zod';
import { FleetNotification } from '../../kernel/api/fleet/fleet-notification.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { notificationStatus } from '../../rollout/notifications/notification-status.js';

const Count = z.int().min(0);
const LONGEST_MESSAGE = 200;
/** Receivers in the report of one notifier. */
export const MOST_REPORTED = 100;

/** A receiver of a FleetNotification as command and console show it. */
export const ReceiverReport = z.strictObject({
  notification: z.string().max(253),
  receiver: z.string().max(63),
  type: z.string().max(60),
  delivered: Count,
  /** Events that the receiver has not got yet. */
  waiting: Count,
  /** Time of the last message that it has taken. Empty: there is none. */
  lastDeliveredAt: z.string().max(40),
  /** Reason of the last failed attempt, cut in length. Empty: it takes messages. */
  failure: z.string().max(LONGEST_MESSAGE),
});
export type ReceiverReport = z.infer<typeof ReceiverReport>;

/** Returns the receivers of a FleetNotification. An object that cannot be read has none. */
export function receiverReports(object: KubernetesObject): ReceiverReport[] {
  const states = new Map((notificationStatus(object).receivers ?? []).map((state) => [state.name, state]));
  return (FleetNotification.safeParse(object).data?.spec.receivers ?? []).map(({ name, type }) => {
    const { delivered = 0, waiting = 0, lastDeliveredAt = '', lastFailure = '' } = states.get(name) ?? {};
    const failure = cutText(lastFailure, LONGEST_MESSAGE - 1);
    return {
      notification: object.metadata.name ?? '',
      receiver: name,
      type,
      delivered,
      waiting,
      lastDeliveredAt,
      failure,
    };
  });
}
