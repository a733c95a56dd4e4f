import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { apiKey } from './bundle-facts.js';
import type { IndexedPackage } from './indexed-package.js';
import type { Requirement } from './requirement.js';

/**
 * A catalog's packages by the names, APIs and labels that they offer. Built once for each catalog content and
 * shared by all its users.
 */
export class CatalogIndex {
  readonly #packages: ReadonlyMap<string, IndexedPackage>;
  readonly #byApi = new Map<string, Set<string>>();
  readonly #byPackage = new Map<string, Set<string>>();
  readonly #byLabel = new Map<string, Set<string>>();

  constructor(packages: readonly IndexedPackage[]) {
    const sorted = packages.toSorted((a, b) => byCodeUnit(a.name, b.name));
    this.#packages = new Map(sorted.map((one) => [one.name, one]));
    for (const one of sorted) this.#add(one);
  }

  get empty(): boolean {
    return this.#packages.size === 0;
  }

  /** Names of all packages, sorted. */
  get names(): readonly string[] {
    return [...this.#packages.keys()];
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

  #add({ name, offers }: IndexedPackage): void {
    add(this.#byPackage, name, name);
    for (const offered of offers.packages) add(this.#byPackage, offered, name);
    for (const api of offers.apis) add(this.#byApi, api, name);
    for (const label of offers.labels) add(this.#byLabel, label, name);
  }
}

function add(map: Map<string, Set<string>>, key: string, name: string): void {
  const names = map.get(key);
  if (names === undefined) map.set(key, new Set([name]));
  else names.add(name);
}
