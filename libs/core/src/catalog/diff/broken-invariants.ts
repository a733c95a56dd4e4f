import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { counted } from '../../kernel/text/counted.js';
import { headOf } from '../graph/upgrade-edges.js';
import { newestFirst, type UpgradeGraph, upgradeGraphs, versionText } from '../graph/upgrade-graph.js';
import type { Catalog } from '../model/catalog.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import type { BrokenInvariant } from './broken-invariant.js';
import { fateOf, followedBy } from './bundle-fate.js';
import { mendElsewhere, mendSeveral, mendStop, mendZStream } from './mend.js';
import { olderUpdate } from './older-update.js';
import { goesToNewestPatch, minorOf, newestPatch, zStreamMinors } from './z-stream.js';

/**
 * Returns the invariants that hold in the old catalog, channel by channel, and break in the new one. For
 * bundles that only the new one has, returns those that it breaks. Both catalogs are valid. Sorted by package
 * and channel, newest bundle first.
 */
export function brokenInvariants(before: Catalog, after: Catalog): BrokenInvariant[] {
  const [old, now] = [upgradeGraphs(before), upgradeGraphs(after)];
  return [...old]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([name, graph]) => graphBreaks(name, graph, now.get(name)));
}

function graphBreaks(name: string, old: UpgradeGraph, now: UpgradeGraph | undefined): BrokenInvariant[] {
  const kept = new Map(now?.channels.map((channel) => [channel.channel, channel]));
  return old.channels
    .toSorted((a, b) => byCodeUnit(a.channel, b.channel))
    .flatMap((channel) => {
      const other = kept.get(channel.channel);
      return other === undefined ? [channelGone(name, channel, now)] : channelBreaks(name, channel, other);
    });
}

/**
 * Returns the break if the channel is gone: a Subscription to it cannot be satisfied, and blocks its whole
 * namespace.
 */
function channelGone(name: string, old: EntryGroup, now: UpgradeGraph | undefined): BrokenInvariant {
  const head = headOf(old)?.name ?? 'none';
  const move = now === undefined ? '' : `; move Subscriptions to ${now.record.defaultChannel} before you remove it`;
  return {
    invariant: 'lost-way',
    package: name,
    channel: old.channel,
    bundle: '',
    version: '',
    before: `${counted(old.entries.length, 'bundle')} led to ${head}`,
    after: now === undefined ? 'the package is gone' : 'the channel is gone',
    mend: `keep the olm.channel blob "${old.channel}" of package "${name}" with its entries and bundles${move}`,
  };
}

function channelBreaks(name: string, old: EntryGroup, now: EntryGroup): BrokenInvariant[] {
  const installable = new Map([...now.entries, ...old.entries].map((entry) => [entry.name, entry]));
  const known = new Set(old.entries.map((entry) => entry.name));
  const zStreams = zStreamMinors(old);
  return [...installable.values()].toSorted(newestFirst).flatMap((entry) => {
    const at = { entry, now, old: known.has(entry.name) ? old : undefined };
    const moved = stopBreak(at) ?? zStreamBreak(at, zStreams) ?? elsewhereBreak(at);
    const subject = { package: name, channel: now.channel, bundle: entry.name, version: versionText(entry) };
    return [moved, severalBreak(at)].flatMap((found) => (found === undefined ? [] : { ...subject, ...found }));
  });
}

/** A bundle that may be installed, the channel now, and the old channel if it held the bundle. */
type Comparison = Readonly<{ entry: Entry; now: EntryGroup; old: EntryGroup | undefined }>;
type Finding = Pick<BrokenInvariant, 'invariant' | 'before' | 'after' | 'mend'>;

/**
 * Returns a finding if no entry follows the bundle, or if OLM stops before the newest entry. Reported only if
 * the old catalog did better.
 */
function stopBreak({ entry, old, now }: Comparison): Finding | undefined {
  const before = old === undefined ? undefined : fateOf(entry, old);
  const after = fateOf(entry, now);
  if (after.outcome === 'newest' || (before !== undefined && before.outcome !== 'newest')) return undefined;
  const invariant = after.outcome === 'stays' ? 'lost-way' : 'elsewhere';
  return { invariant, before: before?.text ?? 'not in the channel', after: after.text, mend: mendStop(now, after) };
}

/**
 * Returns a finding if the releases of its minor version formed a z-stream, and now this one does not update
 * to the newest of them at once.
 */
function zStreamBreak({ entry, old, now }: Comparison, zStreams: ReadonlySet<string>): Finding | undefined {
  const minor = minorOf(entry) ?? '';
  const newest = zStreams.has(minor) ? newestPatch(now, minor) : undefined;
  if (newest === undefined || goesToNewestPatch(now, entry, newest)) return undefined;
  return {
    invariant: 'z-stream',
    before: old === undefined ? 'not in the channel' : fateOf(entry, old).text,
    after: `${fateOf(entry, now).text}, while the newest ${minor} is ${newest.name}`,
    mend: mendZStream(now, newest),
  };
}

/**
 * Returns a finding if the next update is an older bundle than before, though OLM could still take the one
 * from before.
 */
function elsewhereBreak({ entry, old, now }: Comparison): Finding | undefined {
  const found = old === undefined ? undefined : olderUpdate(entry, old, now);
  if (old === undefined || found === undefined || found.isZStream) return undefined;
  return {
    invariant: 'elsewhere',
    before: fateOf(entry, old).text,
    after: fateOf(entry, now).text,
    mend: mendElsewhere(entry, found.instead),
  };
}

/**
 * Returns a finding if more than one entry that OLM may take follows the bundle. Reported only if the old
 * catalog had at most one.
 */
function severalBreak({ entry, old, now }: Comparison): Finding | undefined {
  const after = followedBy(entry.name, now);
  const before = old === undefined ? [] : followedBy(entry.name, old);
  if (after.length < 2 || before.length > 1) return undefined;
  const names = (entries: readonly Entry[]) => entries.map((one) => one.name).join(', ');
  return {
    invariant: 'several-next',
    before: before.length === 0 ? 'nothing followed it by name' : `followed by ${names(before)}`,
    after: `followed by ${names(after)}`,
    mend: mendSeveral(entry.name, after),
  };
}
