import type { PackageRecord } from '../../catalog/model/package-record.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { DEPRECATED, DEPRECATED_PARTS, DEPRECATIONS } from '../../kernel/conditions/deprecation-types.js';
import {
  changeTo,
  type SubscriptionChange,
  statusOf,
  unchanged,
  withCondition,
  withoutConditions,
} from './subscription-change.js';

type Found = Readonly<{ type: (typeof DEPRECATIONS)[number]; message: string }>;

/**
 * Returns the catalog's deprecations of package, channel and installed bundle. Undefined if the catalog does
 * not know that bundle there.
 */
function deprecationsOf({ spec, status }: Subscription, record: PackageRecord): Found[] | undefined {
  const channel = spec.channel ?? '';
  const installed = status?.installedCSV ?? '';
  const entry = record.entries.find(
    ({ name, channel: its }) => name === installed && (channel === '' || its === channel),
  );
  if (entry === undefined) return undefined;
  const channelMessage = channel === '' ? undefined : record.channelDeprecations?.[channel];
  return [
    ...found('PackageDeprecated', `olm.package/${record.name}`, record.deprecation),
    ...found('ChannelDeprecated', `olm.channel/${channel}`, channelMessage),
    ...found('BundleDeprecated', `olm.bundle/${entry.name}`, entry.deprecation),
  ];
}

const found = (type: (typeof DEPRECATED_PARTS)[number], subject: string, message: string | undefined): Found[] =>
  message === undefined ? [] : [{ type, message: `${subject}: ${message}` }];

/**
 * Sets deprecation conditions from the Subscription's own package in its own catalog. If the catalog does not
 * list the installed bundle (or was not read: no `record`), the previous conditions stay. Spec:
 * subscriptions.md §4 "Deprecation".
 */
export function withDeprecations(
  subscription: Subscription,
  record: PackageRecord | undefined,
  now: string,
): SubscriptionChange {
  const reported = record === undefined ? undefined : deprecationsOf(subscription, record);
  if (reported === undefined) return unchanged(subscription);
  const rollUp: Found[] =
    reported.length === 0 ? [] : [{ type: DEPRECATED, message: reported.map(({ message }) => message).join('; ') }];
  const wanted = [...reported, ...rollUp];
  const gone = DEPRECATIONS.filter((type) => !wanted.some((one) => one.type === type));
  const next = wanted.reduce<SubscriptionStatus>(
    (status, { type, message }) => withCondition(status, { type, status: 'True', message }, now),
    withoutConditions(statusOf(subscription), gone),
  );
  return changeTo(subscription, next, now);
}
