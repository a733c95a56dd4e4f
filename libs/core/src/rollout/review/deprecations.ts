import type { DeprecationEntry } from '../../catalog/model/catalog.js';
import type { PackageRecord } from '../../catalog/model/package-record.js';

/**
 * Returns the deprecations in the catalog of a Subscription that concern its next bundle, as texts: of its
 * package, its channel, the bundle. Without a channel none counts, as in the conditions of a Subscription
 * (why: fleet-operators.md "Deprecations"; spec: subscriptions.md §4 "Deprecation").
 */
export function classicDeprecations(record: PackageRecord, channel: string | undefined, bundle: string): string[] {
  const entry = record.entries.find(({ name, channel: of }) => name === bundle && (!channel || of === channel));
  return [
    ...text(`package ${record.name}`, record.deprecation),
    ...text(`channel ${channel}`, channel ? record.channelDeprecations?.[channel] : undefined),
    ...text(`bundle ${bundle}`, entry?.deprecation),
  ];
}

/**
 * The same of a ClusterExtension: without channels each of them counts, and entries without message do not
 * (why: fleet-operators.md "Deprecations").
 * (spec: v1-extension.md).
 */
export function v1Deprecations(
  entries: readonly DeprecationEntry[],
  channels: readonly string[],
  bundle: string,
): string[] {
  const counts = ({ reference: { schema, name } }: DeprecationEntry): boolean => {
    if (schema === 'olm.package') return true;
    if (schema === 'olm.channel') return channels.length === 0 || channels.includes(name);
    return schema === 'olm.bundle' && name === bundle;
  };
  return entries
    .filter(counts)
    .flatMap(({ reference, message }) => text(`${reference.schema.slice('olm.'.length)} ${reference.name}`, message));
}

const text = (what: string, message: string | undefined): string[] =>
  message === undefined || message === '' ? [] : [`${what}: ${message}`];
