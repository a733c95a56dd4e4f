import type { PackageRecord } from '../../catalog/model/package-record.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import { versionRefusal } from './allowed-versions.js';
import type { DesiredClassic, OverlaidNamespace } from './desired-classic.js';

/**
 * Returns the first bundle to install if a FleetOperator has `versions`: the newest of the channel that they
 * admit. Returns undefined if there is none (design: fleet.md §3.1).
 */
export function firstBundle(
  { spec }: FleetOperator,
  { channel }: Pick<Subscription['spec'], 'channel'>,
  record: PackageRecord | undefined,
): string | undefined {
  if (spec.versions === undefined || record === undefined) return undefined;
  let newest: Readonly<{ name: string; version: Version }> | undefined;
  for (const { name, version: text, channel: of } of record.entries) {
    const version = parseTolerant(text);
    const isOffered = channel === undefined || channel === of;
    if ('error' in version || !isOffered || versionRefusal(spec.versions, text) !== undefined) continue;
    if (newest === undefined || compareVersions(version, newest.version) > 0) newest = { name, version };
  }
  return newest?.name;
}

/** Returns the desired objects with the first bundle, if the operator is not subscribed yet. */
export function beginningWith(
  desired: DesiredClassic,
  { subscriptions }: Pick<OverlaidNamespace, 'subscriptions'>,
  record: PackageRecord | undefined,
): DesiredClassic {
  const { operator, subscription } = desired;
  if (subscriptions.some(({ spec }) => spec.name === subscription.spec.name)) return desired;
  const startingCSV = firstBundle(operator, subscription.spec, record);
  if (startingCSV === undefined) return desired;
  return { ...desired, subscription: { ...subscription, spec: { ...subscription.spec, startingCSV } } };
}
