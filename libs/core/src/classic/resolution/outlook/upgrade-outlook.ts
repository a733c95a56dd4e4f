import type { Entry } from '../../../catalog/model/entry.js';
import type { PackageRecord } from '../../../catalog/model/package-record.js';
import { parseTolerant } from '../../../kernel/versions/blang-version.js';
import { formatVersion, type Version } from '../../../kernel/versions/version.js';
import { snapshotOf } from '../constraints/prepare.js';
import { Snapshot } from '../constraints/snapshot.js';
import { follows } from '../constraints/subscription-candidates.js';
import { type IndexedCatalog, sliceCatalogs } from '../problem/catalog-slice.js';
import { isFor } from '../problem/resolution-of.js';
import type { DesiredNamespace, DesiredSubscription, Resolution } from '../problem/resolution-problem.js';
import { hindranceOfCandidate } from './forced-candidate.js';
import { isSource, type NewerVersion, newerReleases } from './newer-bundles.js';

/** The reason a newer bundle is not the next one. */
type Hindrance =
  | 'other-catalog'
  | 'other-channel'
  | 'starting-csv'
  | 'skipped'
  | 'later-step'
  | 'no-edge'
  | 'requirements'
  | 'outranked';

/**
 * A bundle newer than the one a Subscription has or gets next. `because` is one sentence on why it is not the
 * next one.
 */
export type NewerBundle = NewerVersion & Readonly<{ hindrance: Hindrance; because: string }>;

/** The bundle that a Subscription has, the one it gets, and the bundles newer than both. */
export type UpgradeOutlook = Readonly<{
  subscription: string;
  package: string;
  installed?: string;
  /** The package of the installed bundle, if the Subscription's own package has no upgrade from it. */
  otherPackage?: string;
  next?: string;
  newer: readonly NewerBundle[];
}>;

/** Bounds of an outlook. */
export type OutlookBounds = Readonly<{
  /** Bundles that are explained, the newest first. */
  most: number;
  /** Returns the hindrance of a candidate that could be next. The default searches for each candidate. */
  ofCandidate: (
    candidate: Entry,
    desired: DesiredSubscription,
    asking: readonly DesiredSubscription[],
    snapshot: Snapshot,
  ) => Hindered;
}>;
const UNBOUNDED: OutlookBounds = { most: Number.POSITIVE_INFINITY, ofCandidate: hindranceOfCandidate };

type Resolved = Extract<Resolution, { result: 'resolved' }>;
type Context = Readonly<{
  ofCandidate: OutlookBounds['ofCandidate'];
  desired: DesiredSubscription;
  /** All Subscriptions that can be satisfied. */
  asking: readonly DesiredSubscription[];
  installed: Entry | undefined;
  snapshot: Snapshot;
}>;

/**
 * Returns the newer bundles for a Subscription of a resolved namespace, with the reasons it does not get
 * them. `newer` is empty if its versions are unknown.
 */
export function upgradeOutlook(
  desired: DesiredSubscription,
  desiredNamespace: DesiredNamespace,
  catalogs: readonly IndexedCatalog[],
  resolution: Resolved,
  { most, ofCandidate } = UNBOUNDED,
): UpgradeOutlook {
  const { slices, records } = sliceCatalogs(desiredNamespace, catalogs);
  const record = (hash: string): PackageRecord => records.get(hash) ?? { name: '', defaultChannel: '', entries: [] };
  const snapshot = snapshotOf({ v: 1, wishes: desiredNamespace, catalogs: slices }, record);
  const next = resolution.chosen.find((bundle) => bundle.upToDate === undefined && isFor(desired, bundle));
  const base = { subscription: desired.name, package: desired.package };
  if (!(snapshot instanceof Snapshot)) return { ...base, newer: [] };
  const installed = snapshot.installed.find(({ name }) => name === desired.installedCSV);
  const otherPackage = next === undefined ? otherPackageOf(installed, desired) : undefined;
  const version = next === undefined ? installed?.version : parsedVersion(next.version);
  const isKnown = version !== undefined || otherPackage !== undefined;
  const than = otherPackage === undefined ? version : undefined;
  const newer = isKnown ? newerReleases(desired, than, desiredNamespace, catalogs) : [];
  const leftOut = new Set(resolution.unresolved?.map(({ name }) => name));
  const asking = desiredNamespace.subscriptions.filter(({ name }) => !leftOut.has(name));
  const context = { ofCandidate, desired, asking, installed, snapshot };
  return {
    ...base,
    ...(installed === undefined ? {} : { installed: installed.name }),
    ...(otherPackage === undefined ? {} : { otherPackage }),
    ...(next === undefined ? {} : { next: next.name }),
    newer: newer.slice(0, most).map((release) => ({ ...release, ...hindranceOf(release, context) })),
  };
}

/** Set if a user has given the Subscription another package since this was installed. */
const otherPackageOf = (installed: Entry | undefined, desired: DesiredSubscription): string | undefined =>
  installed === undefined || installed.package === '' || installed.package === desired.package
    ? undefined
    : installed.package;

function parsedVersion(text: string): Version | undefined {
  const version = parseTolerant(text);
  return 'error' in version ? undefined : version;
}

type Hindered = Readonly<{ hindrance: Hindrance; because: string }>;

function hindranceOf(release: NewerVersion, context: Context): Hindered {
  const { desired, asking, installed, snapshot } = context;
  const own = `${desired.sourceNamespace}/${desired.source}`;
  if (!isSource(desired, release.catalog)) {
    const because = `a Subscription gets updates only from its own catalog, ${own}: change spec.source and spec.sourceNamespace to install it`;
    return { hindrance: 'other-catalog', because };
  }
  if (desired.channel !== '' && !release.channels.includes(desired.channel)) {
    const because = `the Subscription follows channel ${desired.channel}: change spec.channel to install it`;
    return { hindrance: 'other-channel', because };
  }
  const groups = (snapshot.catalog(release.catalog)?.groupsOfPackage(desired.package) ?? []).filter(
    ({ channel }) => desired.channel === '' || channel === desired.channel,
  );
  const all = groups.flatMap(({ entries }) => entries);
  const inOrder = groups.flatMap((group) => {
    const ordered = group.ordered();
    return 'error' in ordered ? [] : ordered.entries;
  });
  if (installed === undefined && desired.startingCSV !== '') {
    return { hindrance: 'starting-csv', because: `spec.startingCSV asks for ${desired.startingCSV} to begin with` };
  }
  const entry = inOrder.find(({ name }) => name === release.name);
  if (entry === undefined) return skippedBy(release, all);
  if (installed === undefined || follows(entry, installed)) {
    return context.ofCandidate(entry, desired, asking, snapshot);
  }
  return byTheWay(entry, installed, inOrder);
}

function skippedBy({ name }: NewerVersion, entries: readonly Entry[]): Hindered {
  const by = entries.find(({ skips }) => skips.includes(name))?.name;
  const because = by === undefined ? 'it is not on the upgrade path to the head of its channel' : `${by} skips it`;
  return { hindrance: 'skipped', because };
}

/**
 * Follows OLM's way, one best direct successor after the other, and reports whether it reaches the bundle.
 */
function byTheWay(entry: Entry, installed: Entry, inOrder: readonly Entry[]): Hindered {
  const way: Entry[] = [];
  for (let at = installed; ; ) {
    const step = inOrder.find((candidate) => follows(candidate, at));
    if (step === undefined || way.includes(step)) break;
    way.push(step);
    if (step === entry) {
      const before = way.slice(0, -1).map(({ name }) => name);
      return { hindrance: 'later-step', because: `reached through ${before.join(', ')}` };
    }
    at = step;
  }
  return {
    hindrance: 'no-edge',
    because: `there is no upgrade from ${installed.name}: ${edgesText(entry, installed)}`,
  };
}

function edgesText({ replaces, skips, skipRange, from }: Entry, installed: Entry): string {
  const version = installed.version === undefined ? 'the installed version' : formatVersion(installed.version);
  const range = from.kind === 'catalog' ? from.record.skipRange : '';
  return [
    replaces === '' ? 'it replaces nothing' : `it replaces ${replaces}`,
    ...(skips.length === 0 ? [] : [`skips ${skips.slice(0, 5).join(', ')}${skips.length > 5 ? ' and more' : ''}`]),
    ...(skipRange === undefined ? [] : [`and its skipRange ${range} does not include ${version}`]),
  ].join(', ');
}
