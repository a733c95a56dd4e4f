import { type HubApiOptions, openFleetHub } from '#platform/fleet/open-fleet-hub';
import { MessageSender } from '#platform/fleet/receivers/message-sender';
import { notificationMetrics } from '#platform/fleet/receivers/notification-metrics';
import type { Hub } from '#platform/hub/hub';
import { outboundPolicyOf } from '#platform/registry/configured-limits';
import { Notifier } from './notifier.js';

/** The field manager of the notifier's writes to the hub API. */
const NOTIFIER = 'flotilla-notifier';

/**
 * Returns the notifier of the fleet that the settings name. Undefined if they name none, or a folder.
 * Connects to nothing yet.
 * @throws FleetPlaceError, ClusterConfigError if the hub API that they name cannot be used
 */
export async function openNotifier(
  { settings, clock, log, metrics, queues }: Pick<Hub, 'settings' | 'clock' | 'log' | 'metrics' | 'queues'>,
  access: Omit<HubApiOptions, 'fieldManager'> = {},
): Promise<Notifier | undefined> {
  if (access.folder !== undefined) return undefined;
  const hub = await openFleetHub(settings, { ...access, fieldManager: NOTIFIER });
  if (hub === undefined) return undefined;
  const sender = new MessageSender({ hosts: settings.notificationHosts, policy: outboundPolicyOf(settings) });
  const { attempted } = notificationMetrics(metrics.registry);
  const send: MessageSender['send'] = (request) => sender.send(request);
  return new Notifier({ hub, queue: queues.notify, clock, log, send, onAttempt: attempted });
}
