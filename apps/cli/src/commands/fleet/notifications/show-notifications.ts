import { setTimeout } from 'node:timers/promises';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { TEST_ANNOTATION } from '#core/kernel/api/fleet/fleet-notification';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { TEST_EVENT } from '#core/rollout/notifications/delivery-state';
import { notificationStatus } from '#core/rollout/notifications/notification-status';
import { type ReceiverReport, receiverReports } from '#core/view/rows/receiver-report';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { isData } from '../../../output/data-format.js';
import type { ListFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { type Columns, table } from '../../../output/table.js';
import { exitCodeOf, type Verdict, verdictOf } from '../../../output/verdict.js';
import type { Io } from '../../../terminal/io.js';
import { meantName } from '../hub/read-fleet.js';

type NotificationsAsked = Readonly<{ test?: string | undefined; output: ListFormat }>;

const KIND = { apiVersion: FLEET_API, kind: 'FleetNotification' } as const;
const ANSWERED_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 250;

/** Runs `flotilla fleet notifications`: prints the receivers, after a test message if one is asked for. */
export async function showNotifications(hub: KubeClient, io: Io, { test, output }: NotificationsAsked): Promise<void> {
  const all = await listed(hub);
  const names = all.map(({ metadata }) => metadata.name ?? '');
  const name = test === undefined ? undefined : meantName('FleetNotification', test, names);
  const isAnswered = name === undefined || (await tested(hub, io, name));
  const shown = name === undefined ? all : (await listed(hub)).filter(({ metadata }) => metadata.name === name);
  const receivers = shown.flatMap(receiverReports);
  const verdict: Verdict = isAnswered ? verdictOf(receivers.every(({ failure }) => failure === '')) : 'incomplete';
  if (isData(output)) {
    await printData(io, { verdict, receivers }, output);
  } else if (output === 'name') {
    io.out(shown.map(({ metadata }) => `fleetnotification.fleet.flotilla.dev/${metadata.name}\n`).join(''));
  } else {
    io.out(receivers.length === 0 ? 'There is no FleetNotification.\n' : table(receivers, COLUMNS, io.columns));
  }
  if (!isAnswered) io.err('error: the notifier has not answered within 30 s: check that it runs\n');
  io.exit(exitCodeOf(verdict));
}

async function listed(hub: KubeClient): Promise<readonly KubernetesObject[]> {
  return ((await hub.list(KIND))?.items ?? []).map((one) => ({ ...one, ...KIND }));
}

/** Asks for a test message. Returns true once each receiver has taken it or failed. */
async function tested(hub: KubeClient, io: Io, name: string): Promise<boolean> {
  const asked = new Date().toISOString();
  await hub.patch({ ...KIND, name }, { metadata: { annotations: { [TEST_ANNOTATION]: asked } } });
  io.progress?.('waiting for the notifier');
  const end = performance.now() + ANSWERED_WITHIN_MS;
  for (;;) {
    const object = await hub.get({ ...KIND, name });
    const { tested: seen, receivers = [] } = object === undefined ? {} : notificationStatus(object);
    // The request ends pauses: a receiver that has one was asked since, and has failed.
    const isOpen = receivers.some(
      ({ gathering, sending, nextAttemptAt }) =>
        nextAttemptAt === undefined &&
        (TEST_EVENT in (gathering?.counts ?? {}) || TEST_EVENT in (sending?.counts ?? {})),
    );
    const isDone = seen === asked && !isOpen;
    if (isDone || performance.now() > end) {
      io.progress?.(undefined);
      return isDone;
    }
    await setTimeout(ASK_EVERY_MS);
  }
}

const COLUMNS: Columns<ReceiverReport> = [
  ['NAME', ({ notification }) => notification],
  ['RECEIVER', ({ receiver }) => receiver],
  ['TYPE', ({ type }) => type],
  ['DELIVERED', ({ delivered }) => String(delivered)],
  ['WAITING', ({ waiting }) => String(waiting)],
  ['LAST', ({ lastDeliveredAt }) => lastDeliveredAt || '-'],
  ['FAILURE', ({ failure }) => failure || '-'],
];
