import { byCodeUnit, canonicalJson } from '../canonical/canonical-json.js';
import { apiKey, bundleFacts } from './bundle-facts.js';
import { recordHash } from './package-records.js';
import type { Requirement } from './requirement.js';
import { requirementsOf } from './requirements-of.js';
import type { PackageRecord } from './resolution-problem.js';

/** A package of a catalog with what is worked out of it when first asked for. */
class IndexedPackage {
  #hash: string | undefined;
  #requirements: readonly Requirement[] | undefined;

  constructor(readonly record: PackageRecord) {}

  get hash(): string {
    this.#hash ??= recordHash(this.record);
    return this.#hash;
  }

  /** Everything any of its entries requires, each once; what cannot be understood leads nowhere. */
  get requirements(): readonly Requirement[] {
    this.#requirements ??= requirementsOfRecord(this.record);
    return this.#requirements;
  }
}

/** A catalog's packages by what they offer. Built once for each catalog content and shared by all who use it. */
export class CatalogIndex {
  readonly #packages: ReadonlyMap<string, IndexedPackage>;
  readonly #byApi = new Map<string, Set<string>>();
  readonly #byPackage = new Map<string, Set<string>>();
  readonly #byLabel = new Map<string, Set<string>>();

  constructor(records: readonly PackageRecord[]) {
    const sorted = records.toSorted((a, b) => byCodeUnit(a.name, b.name));
    this.#packages = new Map(sorted.map((record) => [record.name, new IndexedPackage(record)]));
    for (const record of sorted) this.#add(record);
  }

  get empty(): boolean {
    return this.#packages.size === 0;
  }

  package(name: string): IndexedPackage | undefined {
    return this.#packages.get(name);
  }

  packagesNamed(name: string): Iterable<string> {
    return this.#byPackage.get(name) ?? [];
  }

  /** Packages that may hold an entry that meets the requirement: none that does is missing. */
  packagesFor(requirement: Requirement): Iterable<string> {
    switch (requirement.kind) {
      case 'api':
        return this.#byApi.get(apiKey(requirement.api)) ?? [];
      case 'package':
        return this.packagesNamed(requirement.name);
      case 'label':
        return this.#byLabel.get(requirement.label) ?? [];
      case 'any':
        return new Set(requirement.of.flatMap((part) => [...this.packagesFor(part)]));
      case 'all': {
        const parts = requirement.of.map((part) => [...this.packagesFor(part)]);
        return parts.sort((a, b) => a.length - b.length)[0] ?? this.#packages.keys();
      }
      default:
        return this.#packages.keys();
    }
  }

  #add(record: PackageRecord): void {
    add(this.#byPackage, record.name, record.name);
    for (const { properties } of record.entries) {
      const facts = bundleFacts(properties);
      for (const { name } of facts.packages) add(this.#byPackage, name, record.name);
      for (const api of facts.apis) add(this.#byApi, apiKey(api), record.name);
      for (const label of facts.labels) add(this.#byLabel, label, record.name);
    }
  }
}

function add(map: Map<string, Set<string>>, key: string, name: string): void {
  const names = map.get(key);
  if (names === undefined) map.set(key, new Set([name]));
  else names.add(name);
}

function requirementsOfRecord({ entries }: PackageRecord): readonly Requirement[] {
  const distinct = new Map<string, Requirement>();
  for (const property of entries.flatMap(({ properties }) => properties)) {
    if (property.type !== 'olm.constraint' && !property.type.endsWith('.required')) continue;
    const key = canonicalJson(property);
    if (distinct.has(key)) continue;
    const found = requirementsOf([property]);
    if (!('error' in found) && found[0] !== undefined) distinct.set(key, found[0]);
  }
  return [...distinct.values()];
}
