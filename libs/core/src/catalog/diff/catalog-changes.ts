import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import type { Catalog, CatalogBundle, ChannelEntry } from '../model/catalog.js';
import { parseProperties } from '../validate/bundle-properties.js';
import { type CatalogChange, nameChanges, valueChange } from './catalog-change.js';
import { type PackageParts, packageParts } from './package-parts.js';

/**
 * Returns all differences between two valid catalogs, sorted by package, kind, channel and name. For a
 * package or channel that is new or gone, only that is reported. The order of blobs, entries and skips does
 * not count.
 */
export function catalogChanges(before: Catalog, after: Catalog): CatalogChange[] {
  const [old, now] = [packageParts(before), packageParts(after)];
  const changes = nameChanges(old.keys(), now.keys(), (name) => ({ what: 'package', package: name }));
  for (const [name, parts] of old) {
    const other = now.get(name);
    if (other !== undefined) changes.push(...packageChanges(name, parts, other));
  }
  return changes.sort(inOrder);
}

const inOrder = (a: CatalogChange, b: CatalogChange): number => byCodeUnit(sortKey(a), sortKey(b));
const ORDER = ['package', 'defaultChannel', 'channel', 'bundle', 'version', 'image', 'content', 'entry'];
const sortKey = ({ package: owner, what, channel = '', name = '', change, before = '', after = '' }: CatalogChange) => {
  const at = ORDER.indexOf(what);
  return [
    owner,
    what === 'deprecation' ? '9' : at < 0 ? '8' : String(at),
    channel,
    name,
    what,
    change,
    before,
    after,
  ].join('\u0000');
};

function packageChanges(name: string, old: PackageParts, now: PackageParts): CatalogChange[] {
  const at = { package: name };
  const changes = [
    ...valueChange({ what: 'defaultChannel', ...at }, old.blob.defaultChannel, now.blob.defaultChannel),
    ...nameChanges(old.channels.keys(), now.channels.keys(), (channel) => ({ what: 'channel', ...at, channel })),
    ...nameChanges(old.bundles.keys(), now.bundles.keys(), (bundle) => ({ what: 'bundle', ...at, name: bundle })),
  ];
  for (const [bundle, blob] of old.bundles) {
    const other = now.bundles.get(bundle);
    if (other !== undefined) changes.push(...bundleChanges(blob, other));
  }
  for (const [channel, entries] of old.channels) {
    const others = now.channels.get(channel);
    if (others !== undefined) changes.push(...channelChanges(name, channel, entries, others));
  }
  for (const subject of new Set([...old.deprecations.keys(), ...now.deprecations.keys()])) {
    const place = { what: 'deprecation', ...at, name: subject } as const;
    changes.push(...valueChange(place, old.deprecations.get(subject), now.deprecations.get(subject)));
  }
  return changes;
}

function bundleChanges(old: CatalogBundle, now: CatalogBundle): CatalogChange[] {
  const place = { package: old.package, name: old.name };
  const changes = [
    ...valueChange({ what: 'version', ...place }, versionOf(old), versionOf(now)),
    ...valueChange({ what: 'image', ...place }, old.image, now.image),
  ];
  if (contentOf(old) === contentOf(now)) return changes;
  return [...changes, { change: 'changed', what: 'content', ...place }];
}

function versionOf({ properties }: CatalogBundle): string {
  const parsed = parseProperties(properties);
  const said = 'packages' in parsed ? parsed.packages[0] : undefined;
  if (said === undefined) return '';
  return said.release === '' ? said.version : `${said.version} release ${said.release}`;
}

/** Returns all except name, version and image. The order of properties and images does not count. */
function contentOf({ properties, relatedImages, image }: CatalogBundle): string {
  const others = properties.filter(({ type }) => type !== 'olm.package').map(canonicalJson);
  const images = relatedImages.filter((one) => one.image !== image || one.name !== '').map(canonicalJson);
  return canonicalJson([others.sort(byCodeUnit), images.sort(byCodeUnit)]);
}

type Entries = ReadonlyMap<string, ChannelEntry>;

function channelChanges(owner: string, channel: string, old: Entries, now: Entries): CatalogChange[] {
  const changes = nameChanges(old.keys(), now.keys(), (name) => ({ what: 'entry', package: owner, channel, name }));
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const place = { package: owner, channel, name };
    const [before, after] = [old.get(name), now.get(name)];
    changes.push(
      ...valueChange({ what: 'replaces', ...place }, before?.replaces, after?.replaces),
      ...valueChange({ what: 'skipRange', ...place }, before?.skipRange, after?.skipRange),
      ...skipChanges(place, before?.skips ?? [], after?.skips ?? []),
    );
  }
  return changes;
}

function skipChanges(
  place: Readonly<{ package: string; channel: string; name: string }>,
  old: readonly string[],
  now: readonly string[],
): CatalogChange[] {
  const [before, after] = [new Set(old), new Set(now)];
  const at = { what: 'skips', ...place } as const;
  return [
    ...[...before.difference(after)].flatMap((name) => valueChange(at, name, '')),
    ...[...after.difference(before)].flatMap((name) => valueChange(at, '', name)),
  ];
}
