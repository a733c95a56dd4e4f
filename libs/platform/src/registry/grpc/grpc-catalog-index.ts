import type { GrpcPackage } from '#core/catalog/load/grpc-bundle';
import type { Catalog, ChannelEntry } from '#core/catalog/model/catalog';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { goQuote } from '#core/kernel/versions/go-quote';
import { deprecationOf, providedApis, type ServedEntry } from './grpc-bundle-message.js';

/** Message api.ChannelEntry. */
type EntryMessage = Readonly<{
  packageName: string;
  channelName: string;
  bundleName: string;
  replaces: string;
}>;

export type Api = Readonly<{ group: string; version: string; kind: string }>;

/**
 * A question with no answer; the text is the server's own (spec: file-based-catalogs.md §8, code Unknown).
 */
export class NotInCatalog extends Error {}

type ServedChannel = Readonly<{ name: string; entries: ReadonlyMap<string, ServedEntry>; head: string }>;
type ServedPackage = Readonly<{ message: GrpcPackage; channels: ReadonlyMap<string, ServedChannel> }>;

/** A catalog, arranged for the questions of api.Registry. */
export class GrpcCatalogIndex {
  readonly #packages: ReadonlyMap<string, ServedPackage>;

  constructor(readonly catalog: Catalog) {
    const sorted = catalog.packages.toSorted((a, b) => byCodeUnit(a.name, b.name));
    this.#packages = new Map(sorted.map((pkg) => [pkg.name, servedPackage(catalog, pkg)]));
  }

  packageNames(): string[] {
    return [...this.#packages.keys()];
  }

  package(name: string): GrpcPackage {
    return this.#package(name).message;
  }

  entry(pkg: string, channel: string, name: string): ServedEntry {
    const found = this.#channel(pkg, channel).entries.get(name);
    if (found !== undefined) return found;
    throw new NotInCatalog(`package ${goQuote(pkg)}, channel ${goQuote(channel)}, bundle ${goQuote(name)} not found`);
  }

  head(pkg: string, channel: string): ServedEntry {
    return this.entry(pkg, channel, this.#channel(pkg, channel).head);
  }

  *entries(): Generator<ServedEntry> {
    for (const channel of this.#channels()) yield* channel.entries.values();
  }

  entriesThatReplace(name: string): EntryMessage[] {
    const found = [...this.entries()].filter(({ entry }) => follows(entry, name));
    if (found.length === 0) throw new NotInCatalog(`no channel entries found that replace ${name}`);
    return found.map((served) => entryMessage(served, served.entry.replaces ?? ''));
  }

  entryThatReplaces(name: string, pkg: string, channel: string): ServedEntry {
    if (!this.#packages.has(pkg)) throw new NotInCatalog(`package ${pkg} not found`);
    const found = [...this.#channel(pkg, channel).entries.values()].find(({ entry }) => follows(entry, name));
    if (found !== undefined) return found;
    throw new NotInCatalog(`no entry found for package ${goQuote(pkg)}, channel ${goQuote(channel)}`);
  }

  entriesThatProvide(api: Api): EntryMessage[] {
    const found = [...this.entries()].filter(provides(api)).flatMap((served) => edges(served, () => true));
    if (found.length === 0) throw new NotInCatalog(`no channel entries found that provide ${apiText(api)}`);
    return found;
  }

  latestEntriesThatProvide(api: Api): EntryMessage[] {
    const found = [...this.#channels()].flatMap(({ entries, head }) => {
      const served = entries.get(head);
      return served !== undefined && provides(api)(served) ? edges(served, (skipped) => entries.has(skipped)) : [];
    });
    if (found.length === 0) throw new NotInCatalog(`no channel entries found that provide ${apiText(api)}`);
    return found;
  }

  defaultEntryThatProvides(api: Api): ServedEntry {
    for (const { packageName, channelName } of this.latestEntriesThatProvide(api)) {
      if (this.package(packageName).defaultChannelName === channelName) return this.head(packageName, channelName);
    }
    throw new NotInCatalog(`no entry found that provides ${apiText(api)}`);
  }

  *#channels(): Generator<ServedChannel> {
    for (const { channels } of this.#packages.values()) yield* channels.values();
  }

  #package(name: string): ServedPackage {
    const found = this.#packages.get(name);
    if (found === undefined) throw new NotInCatalog(`package ${goQuote(name)} not found`);
    return found;
  }

  #channel(pkg: string, name: string): ServedChannel {
    const found = this.#package(pkg).channels.get(name);
    if (found === undefined) throw new NotInCatalog(`package ${goQuote(pkg)}, channel ${goQuote(name)} not found`);
    return found;
  }
}

function servedPackage(catalog: Catalog, pkg: Catalog['packages'][number]): ServedPackage {
  const bundles = new Map(catalog.bundles.flatMap((item) => (item.package === pkg.name ? [[item.name, item]] : [])));
  const messages = deprecationMessages(catalog, pkg.name);
  const channels = catalog.channels
    .filter((channel) => channel.package === pkg.name)
    .toSorted((a, b) => byCodeUnit(a.name, b.name))
    .map((channel): [string, ServedChannel] => {
      const entries = (channel.entries ?? []).flatMap((entry): [string, ServedEntry][] => {
        const bundle = bundles.get(entry.name);
        const deprecation = messages.get(`olm.bundle/${entry.name}`);
        const served = { pkg, channel: channel.name, entry, ...(deprecation === undefined ? {} : { deprecation }) };
        return bundle === undefined ? [] : [[entry.name, { ...served, bundle }]];
      });
      return [channel.name, { name: channel.name, entries: new Map(entries), head: headOf(channel.entries ?? []) }];
    });
  const message: GrpcPackage = {
    name: pkg.name,
    channels: channels.map(([name, { head }]) => ({
      name,
      csvName: head,
      deprecation: deprecationOf(messages.get(`olm.channel/${name}`)),
    })),
    defaultChannelName: pkg.defaultChannel,
    deprecation: deprecationOf(messages.get('olm.package/')),
  };
  return { message, channels: new Map(channels) };
}

/**
 * The entry that no other one replaces or skips (spec: file-based-catalogs.md §3.2); a valid
 * channel has exactly one.
 */
function headOf(entries: readonly ChannelEntry[]): string {
  const passed = new Set(entries.flatMap(({ replaces, skips }) => [replaces ?? '', ...(skips ?? [])]));
  return entries.find(({ name }) => !passed.has(name))?.name ?? '';
}

function deprecationMessages(catalog: Catalog, pkg: string): ReadonlyMap<string, string> {
  const entries = catalog.deprecations.filter((item) => item.package === pkg).flatMap((item) => item.entries ?? []);
  return new Map(
    entries.map(({ reference, message }) => {
      const name = reference.schema === 'olm.package' ? '' : reference.name;
      return [`${reference.schema}/${name}`, message];
    }),
  );
}

const follows = (entry: ChannelEntry, name: string) =>
  entry.replaces === name || (entry.skips?.includes(name) ?? false);

const provides =
  ({ group, version, kind }: Api) =>
  ({ bundle }: ServedEntry) =>
    providedApis(bundle).some((api) => api.group === group && api.version === version && api.kind === kind);

const entryMessage = ({ pkg, channel, entry }: ServedEntry, replaces: string): EntryMessage => ({
  packageName: pkg.name,
  channelName: channel,
  bundleName: entry.name,
  replaces,
});

/**
 * Returns one message for the replaced entry, even if there is none. Adds one for each other name that the
 * entry skips.
 */
function edges(served: ServedEntry, wanted: (skipped: string) => boolean): EntryMessage[] {
  const { replaces = '', skips = [] } = served.entry;
  const skipped = skips.filter((name) => name !== replaces && wanted(name));
  return [replaces, ...skipped].map((name) => entryMessage(served, name));
}

/** The API as the server prints it. */
const apiText = ({ group, version, kind }: Api): string =>
  `group:${goQuote(group)} version:${goQuote(version)} kind:${goQuote(kind)}`;
