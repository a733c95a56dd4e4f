import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { apiKey } from './bundle-facts.js';
import { chainOrder } from './channel-order.js';
import { catalogEntry, type Entry } from './entry.js';
import type { CatalogKey, PackageRecord } from './package-record.js';
import type { Requirement } from './requirement.js';

/** All entries of one channel of one package of one catalog, and their order, found when first asked for. */
export class EntryGroup {
  #ordered: ReturnType<typeof chainOrder> | undefined;

  constructor(
    readonly packageName: string,
    readonly channel: string,
    readonly isDefault: boolean,
    readonly entries: readonly Entry[],
  ) {}

  ordered(): ReturnType<typeof chainOrder> {
    this.#ordered ??= chainOrder(this.entries);
    return this.#ordered;
  }
}

/**
 * Default channel first, then package, then channel: the order of preference inside a catalog
 * (spec: classic-resolution.md §5.1).
 */
const byPreference = (a: EntryGroup, b: EntryGroup): number =>
  Number(b.isDefault) - Number(a.isDefault) ||
  byCodeUnit(a.packageName, b.packageName) ||
  byCodeUnit(a.channel, b.channel);

/**
 * One visible catalog's groups, found by what their entries offer; every list keeps the order of preference.
 */
export class CatalogView {
  readonly groups: readonly EntryGroup[];
  readonly #byApi = new Map<string, EntryGroup[]>();
  readonly #byPackage = new Map<string, EntryGroup[]>();
  readonly #byLabel = new Map<string, EntryGroup[]>();

  constructor(
    readonly key: CatalogKey,
    readonly priority: number,
    /** The catalog holds no package at all. */
    readonly empty: boolean,
    records: readonly PackageRecord[],
  ) {
    this.groups = records.flatMap((record) => groupsOf(key, record)).sort(byPreference);
    for (const group of this.groups) this.#index(group);
  }

  /** Groups that may hold an entry that meets the requirement: none that does is missing. */
  groupsFor(requirement: Requirement): readonly EntryGroup[] {
    switch (requirement.kind) {
      case 'api':
        return this.#byApi.get(apiKey(requirement.api)) ?? [];
      case 'package':
        return this.groupsOfPackage(requirement.name);
      case 'label':
        return this.#byLabel.get(requirement.label) ?? [];
      case 'all':
        return requirement.of.map((part) => this.groupsFor(part)).reduce(shorter, this.groups);
      case 'any': {
        const found = new Set(requirement.of.flatMap((part) => this.groupsFor(part)));
        return this.groups.filter((group) => found.has(group));
      }
      default:
        return this.groups;
    }
  }

  groupsOfPackage(name: string): readonly EntryGroup[] {
    return this.#byPackage.get(name) ?? [];
  }

  #index(group: EntryGroup): void {
    const packages = new Set([group.packageName]);
    const apis = new Set<string>();
    const labels = new Set<string>();
    for (const { facts } of group.entries) {
      for (const name of facts.packageNames) packages.add(name);
      for (const api of facts.apiTexts.keys()) apis.add(api);
      for (const label of facts.labels) labels.add(label);
    }
    for (const name of packages) append(this.#byPackage, name, group);
    for (const api of apis) append(this.#byApi, api, group);
    for (const label of labels) append(this.#byLabel, label, group);
  }
}

const shorter = (a: readonly EntryGroup[], b: readonly EntryGroup[]) => (b.length < a.length ? b : a);

function groupsOf(key: CatalogKey, record: PackageRecord): EntryGroup[] {
  const byChannel = Map.groupBy(record.entries, ({ channel }) => channel);
  return [...byChannel].map(([channel, entries]) => {
    const all = entries.map((entry) => catalogEntry(key, record, entry));
    return new EntryGroup(record.name, channel, channel === record.defaultChannel, all);
  });
}

function append(map: Map<string, EntryGroup[]>, key: string, group: EntryGroup): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [group]);
  else list.push(group);
}
