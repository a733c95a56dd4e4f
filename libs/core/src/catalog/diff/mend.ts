import { formatVersion } from '../../kernel/versions/version.js';
import { skippedNames } from '../graph/upgrade-edges.js';
import { byVersion, newestFirst, skipRangeText } from '../graph/upgrade-graph.js';
import type { EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import { type BundleFate, fateOf } from './bundle-fate.js';

/** Returns the edit that makes OLM continue from the bundle at which it stops. */
export function mendStop(channel: EntryGroup, { outcome, end }: BundleFate): string {
  if (outcome === 'unordered') return 'make every entry reachable from the newest by replaces, or skip it';
  if (outcome === 'circles') return 'remove the replaces or skipRange that leads back to an older bundle';
  const landing = landingAbove(channel, end);
  if (landing === undefined) {
    return `keep ${end.name} in channel "${channel.channel}", or publish a newer bundle there that skips it`;
  }
  const range =
    end.version === undefined || landing.version === undefined
      ? ''
      : `, or skipRange: ">=${formatVersion(end.version)} <${formatVersion(landing.version)}"`;
  return `add "skips: [${end.name}]" to the entry ${landing.name}${range}`;
}

/**
 * Returns the lowest newer entry that OLM may take and that leads to the newest; otherwise the lowest newer
 * one. Never returns an older one.
 */
function landingAbove(channel: EntryGroup, end: BundleFate['end']): Entry | undefined {
  const skipped = skippedNames(channel);
  const above = channel.entries
    .filter((entry) => !skipped.has(entry.name) && entry.name !== end.name && byVersion(entry, end) > 0)
    .sort((a, b) => newestFirst(b, a));
  return above.find((entry) => fateOf(entry, channel).outcome === 'newest') ?? above[0];
}

/**
 * Returns the edit that leaves one follower. OLM takes the first follower. A follower that replaces the
 * bundle holds the chain together and must keep doing so.
 */
export function mendSeveral(name: string, followers: readonly Entry[]): string {
  const keep = followers.find(({ replaces }) => replaces === name) ?? followers[0];
  const others = followers.filter((entry) => entry !== keep).map((entry) => entry.name);
  return `remove ${name} from the skips of ${others.join(', ')} (a skipRange may still include its version)`;
}

/**
 * Returns the edit that restores a z-stream. A skipRange on the newest release takes all of its minor version
 * there, and leaves the chain as it is.
 */
export function mendZStream(channel: EntryGroup, newest: Entry): string {
  const { version } = newest;
  if (version === undefined) return `make ${newest.name} skip every older release of its minor version`;
  const wanted = `>=${version.major}.${version.minor}.0 <${formatVersion(version)}`;
  const present = skipRangeText(newest);
  const range = present === '' ? wanted : `${present} || ${wanted}`;
  return `give the entry ${newest.name} of channel "${channel.channel}" the skipRange "${range}"`;
}

/** Returns the edit that restores the direct upgrade from before. */
export function mendElsewhere({ name }: Entry, target: Entry): string {
  return `make ${target.name} cover ${name} again: "skips: [${name}]", or a skipRange with its version`;
}
