import { Counter, type Registry } from 'prom-client';

/** Counts the attempts of the notifier. */
type NotificationMetrics = Readonly<{ attempted: (notification: string, outcome: 'delivered' | 'failed') => void }>;

/** The metrics of the notifier. */
export function notificationMetrics(registry: Registry): NotificationMetrics {
  const attempts = new Counter({
    name: 'flotilla_notification_attempts_total',
    help: 'Attempts to deliver a message, by FleetNotification and outcome',
    labelNames: ['notification', 'outcome'],
    registers: [registry],
  });
  return { attempted: (notification, outcome) => attempts.inc({ notification, outcome }) };
}
