import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { apiKey } from './bundle-facts.js';
import { chainOrder } from './channel-order.js';
import { catalogEntry, type Entry } from './entry.js';
import type { PackageOffers } from './indexed-package.js';
import type { CatalogKey, PackageRecord } from './package-record.js';
import { meets, type Requirement } from './requirement.js';

type Ordered = ReturnType<typeof chainOrder>;

/**
 * All entries of one channel of one package of one catalog. Their order, and those that meet a requirement,
 * are computed on first use.
 */
export class EntryGroup {
  #ordered: Ordered | undefined;
  #offers: PackageOffers | undefined;
  readonly #meeting = new WeakMap<Requirement, Ordered>();

  constructor(
    readonly packageName: string,
    readonly channel: string,
    readonly isDefault: boolean,
    readonly entries: readonly Entry[],
  ) {}

  ordered(): Ordered {
    this.#ordered ??= chainOrder(this.entries);
    return this.#ordered;
  }

  /**
   * Returns the entries that meet a requirement, best first. A missing order is an error only if an entry
   * meets it.
   */
  meeting(requirement: Requirement): Ordered {
    const known = this.#meeting.get(requirement) ?? this.#find(requirement);
    this.#meeting.set(requirement, known);
    return known;
  }

  #find(requirement: Requirement): Ordered {
    const found = new Set(this.entries.filter((entry) => meets(entry, requirement)));
    if (found.size === 0) return { entries: [] };
    const ordered = this.ordered();
    return 'error' in ordered ? ordered : { entries: ordered.entries.filter((entry) => found.has(entry)) };
  }

  /** Returns all that its entries offer, each once. */
  get offers(): PackageOffers {
    this.#offers ??= offersOfGroup(this);
    return this.#offers;
  }
}

function offersOfGroup({ packageName, entries }: EntryGroup): PackageOffers {
  const packages = new Set([packageName]);
  const apis = new Set<string>();
  const labels = new Set<string>();
  for (const { facts } of entries) {
    for (const name of facts.packageNames) packages.add(name);
    for (const api of facts.apiTexts.keys()) apis.add(api);
    for (const label of facts.labels) labels.add(label);
  }
  return { packages: [...packages], apis: [...apis], labels: [...labels] };
}

/**
 * Compares groups in the order of preference inside a catalog: default channel first, then package, then
 * channel (spec: classic-resolution.md §5.1).
 */
const byPreference = (a: EntryGroup, b: EntryGroup): number =>
  Number(b.isDefault) - Number(a.isDefault) ||
  byCodeUnit(a.packageName, b.packageName) ||
  byCodeUnit(a.channel, b.channel);

/**
 * One visible catalog's groups, found by the offers of their entries. Every list keeps the order of
 * preference.
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

  /** A superset of the groups with an entry that meets the requirement. */
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
    for (const name of group.offers.packages) append(this.#byPackage, name, group);
    for (const api of group.offers.apis) append(this.#byApi, api, group);
    for (const label of group.offers.labels) append(this.#byLabel, label, group);
  }
}

const shorter = (a: readonly EntryGroup[], b: readonly EntryGroup[]) => (b.length < a.length ? b : a);

/**
 * Groups of a record, for the catalog that asked last. They depend only on the record and on the name of the
 * catalog, and most problems ask for the same records.
 */
const known = new WeakMap<PackageRecord, Readonly<{ key: CatalogKey; groups: readonly EntryGroup[] }>>();

/** Returns the groups of a record. The record must not change afterwards. */
function groupsOf(key: CatalogKey, record: PackageRecord): readonly EntryGroup[] {
  const kept = known.get(record);
  if (kept !== undefined && kept.key.name === key.name && kept.key.namespace === key.namespace) return kept.groups;
  const byChannel = Map.groupBy(record.entries, ({ channel }) => channel);
  const groups = [...byChannel].map(([channel, entries]) => {
    const all = entries.map((entry) => catalogEntry(key, record, entry));
    return new EntryGroup(record.name, channel, channel === record.defaultChannel, all);
  });
  known.set(record, { key, groups });
  return groups;
}

function append(map: Map<string, EntryGroup[]>, key: string, group: EntryGroup): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [group]);
  else list.push(group);
}
