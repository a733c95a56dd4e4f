import type { Clock } from '#platform/clock/clock.port';
import { SystemClock } from '#platform/clock/system-clock';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type AppliedNotes, UNSIGNED } from './applied-notes.js';
import { OrderMemo } from './order-memo.js';
import type { OrderPlace, OrderPreviews } from './order-place.js';

/** Parts of a place side by side; those that a test does not care about are absent. */
export type PlaceParts = OrderPreviews &
  Readonly<{
    hub: KubeClient;
    client: KubeClient;
    globalCatalogNamespace?: string;
    clock?: Clock;
    notes?: AppliedNotes;
    memo?: OrderMemo;
  }>;

/** A place of these parts. */
export const orderPlace = ({
  hub,
  client,
  globalCatalogNamespace = 'olm',
  clock = new SystemClock(),
  notes = UNSIGNED,
  memo = new OrderMemo(),
  ...previews
}: PlaceParts): OrderPlace => ({ hub, cluster: { client, globalCatalogNamespace, clock, notes }, previews, memo });
