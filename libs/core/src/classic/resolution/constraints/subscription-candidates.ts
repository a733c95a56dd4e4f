import type { CatalogView, EntryGroup } from '../../../catalog/model/catalog-view.js';
import { chainOrder } from '../../../catalog/model/channel-order.js';
import type { Entry } from '../../../catalog/model/entry.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { inRange } from '../../../kernel/versions/blang-range.js';
import type { DesiredSubscription } from '../problem/resolution-problem.js';
import type { NothingFound } from './constraint-system.js';
import type { Snapshot } from './snapshot.js';

/**
 * The candidates of a Subscription, best first; `none`: it names something that does not exist;
 * `error`: no order was found.
 */
type SubscriptionCandidates =
  | Readonly<{ entries: readonly Entry[] }>
  | Readonly<{ none: NothingFound }>
  | Readonly<{ error: string }>;

/**
 * Spec: classic-resolution.md §6. `installed` is the installed CSV; it is not among the candidates returned.
 */
export function subscriptionCandidates(
  desired: DesiredSubscription,
  installed: Entry | undefined,
  snapshot: Snapshot,
): SubscriptionCandidates {
  const view = snapshot.catalog({ name: desired.source, namespace: desired.sourceNamespace });
  const startingCSV = installed === undefined ? desired.startingCSV : '';
  const channels = (view?.groupsOfPackage(desired.package) ?? [])
    .filter(({ channel }) => desired.channel === '' || channel === desired.channel)
    .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault) || byCodeUnit(a.channel, b.channel));
  const wanted = channels.map(({ entries }) =>
    startingCSV === '' ? entries : entries.filter(({ name }) => name === startingCSV),
  );
  const everyMatch = wanted.flat();
  if (everyMatch.length === 0) return { none: whyNone(desired, view, channels, startingCSV) };
  const sorted: Entry[] = [];
  for (const [index, group] of channels.entries()) {
    const ordered = startingCSV === '' ? group.ordered() : chainOrder(wanted[index] ?? []);
    if ('error' in ordered) return ordered;
    sorted.push(...ordered.entries);
  }
  const mayFollow = installed === undefined ? sorted : sorted.filter((entry) => follows(entry, installed));
  return { entries: withOtherChannels(mayFollow, everyMatch) };
}

/** True for a step of the upgrade graph: the entry directly follows the installed one. */
export function follows(entry: Entry, installed: Entry): boolean {
  if (entry.replaces === installed.name || entry.skips.includes(installed.name)) return true;
  const { version } = installed;
  return entry.skipRange !== undefined && version !== undefined && inRange(version, entry.skipRange);
}

/** A CSV found in one channel brings its entries of the other channels along, at the same rank. */
function withOtherChannels(sorted: readonly Entry[], everyMatch: readonly Entry[]): Entry[] {
  const byName = Map.groupBy(everyMatch, ({ name }) => name);
  return [...new Set(sorted.flatMap(({ name }) => byName.get(name) ?? []))];
}

function whyNone(
  { name, package: packageName, channel, source, sourceNamespace }: DesiredSubscription,
  view: CatalogView | undefined,
  channels: readonly EntryGroup[],
  startingCSV: string,
): NothingFound {
  const referenced = `in the catalog referenced by subscription ${name}`;
  if (view === undefined || view.empty) {
    const text = `no operators found from catalog ${source} in namespace ${sourceNamespace} referenced by subscription ${name}`;
    return { lacks: 'catalog', has: [], text };
  }
  const ofPackage = view.groupsOfPackage(packageName);
  if (ofPackage.length === 0) {
    return { lacks: 'package', has: [], text: `no operators found in package ${packageName} ${referenced}` };
  }
  if (channels.length === 0) {
    const text = `no operators found in channel ${channel} of package ${packageName} ${referenced}`;
    return { lacks: 'channel', has: ofPackage.map((group) => group.channel).slice(0, MAX_NAMED), text };
  }
  const names = new Set(channels.flatMap(({ entries }) => entries.map((entry) => entry.name)));
  return {
    lacks: 'startingCSV',
    has: [...names].slice(0, MAX_NAMED),
    text: `no operators found with name ${startingCSV} in channel ${channel} of package ${packageName} ${referenced}`,
  };
}

const MAX_NAMED = 10;
