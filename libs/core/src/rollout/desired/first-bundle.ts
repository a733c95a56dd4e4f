import type { PackageRecord } from '../../catalog/model/package-record.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import { versionRefusal } from './allowed-versions.js';
import type { DesiredClassic, OverlaidNamespace } from './desired-classic.js';

/**
 * The bundle that a first install begins with where a FleetOperator has `versions`: the newest of the channel
 * that they let in; undefined where there is none (design: fleet.md §3.1).
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

/** The desired objects with the bundle to begin with, where the operator is not subscribed to yet. */
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
