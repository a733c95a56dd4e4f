import { type NewerBundle, type OutlookBounds, upgradeOutlook } from '#core/classic/resolution/outlook/upgrade-outlook';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import type { NamespaceRead } from '../../classic/namespaces/namespace-read.js';
import { indexedCatalog, type SeenCatalog } from '../../classic/observation/observe-namespace.js';

/** A newer bundle on the page of an operator, and the rule that excludes it. */
export type OfferedVersion = Readonly<{ bundle: string; version: string; channel: string; why: string }>;

type OutlookQuestion = Readonly<{
  read: NamespaceRead;
  subscription: string;
  /** The result of the last resolution of the namespace, if that is known. */
  resolution: Resolution | undefined;
  /** Every CatalogSource of the cluster, with its content. */
  catalogs: readonly SeenCatalog[];
  /** True if the page says already why the Subscription cannot be met. */
  isExplained: boolean;
}>;

/** Shown on a page; the upgrade graph has all. */
export const MOST_SHOWN = 12;
type Resolved = Extract<Resolution, { result: 'resolved' }>;
const NOTHING_CHOSEN: Resolved = { result: 'resolved', chosen: [], subscriptionsCreated: [], subscriptionsUpdated: [] };

/**
 * Returns the versions that are newer than a Subscription's present or next one, in all channels and catalogs
 * that it sees. It is the outlook of `flotilla explain`, but nothing is solved for a page (why: console.md
 * "Newer versions without solving").
 */
export function newerVersions({ read, subscription, resolution, catalogs, isExplained }: OutlookQuestion) {
  const namespace = desiredNamespaceOf(read);
  const desired = namespace.subscriptions.find(({ name }) => name === subscription);
  if (desired === undefined) return [];
  const because = isExplained
    ? 'it can be next; the obstacle named above blocks it'
    : 'it can be next, but the last resolution did not choose it; see the explanation of its Subscription';
  const bounds: OutlookBounds = { most: MOST_SHOWN, ofCandidate: () => ({ hindrance: 'outranked', because }) };
  const known = resolution?.result === 'resolved' ? resolution : NOTHING_CHOSEN;
  const { newer } = upgradeOutlook(desired, namespace, catalogs.map(indexedCatalog), known, bounds);
  // A plan that waits has it in its Subscription: the page shows it as the next one.
  return newer.filter(({ name }) => name !== desired.currentCSV).map((bundle) => shown(bundle, desired));
}

function shown(
  { name, version, channels, catalog, because }: NewerBundle,
  own: { sourceNamespace: string; source: string },
): OfferedVersion {
  const isOwn = catalog.namespace === own.sourceNamespace && catalog.name === own.source;
  const where = channels.join(', ');
  return {
    bundle: name,
    version,
    channel: isOwn ? where : `${where} of ${catalog.namespace}/${catalog.name}`,
    why: because,
  };
}
