import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { apiKey, bundleFacts } from './bundle-facts.js';
import type { PackageRecord } from './package-record.js';
import { recordHash } from './package-record.js';
import type { Requirement } from './requirement.js';
import { requirementsOf } from './requirements-of.js';

/** The offers of a package to others: names of packages, keys of APIs, labels; each once. */
export type PackageOffers = Readonly<{
  packages: readonly string[];
  apis: readonly string[];
  labels: readonly string[];
}>;

/** The facts of a package that an index needs without reading its record. */
export type PackageSummary = Readonly<{
  name: string;
  hash: string;
  /** Bytes of the record as canonical JSON. */
  bytes: number;
  offers: PackageOffers;
}>;

/** A package of a catalog. Facts derived from its record are computed on first use. */
export abstract class IndexedPackage {
  #requirements: readonly Requirement[] | undefined;

  protected constructor(
    readonly name: string,
    readonly offers: PackageOffers,
  ) {}

  abstract get hash(): string;
  abstract get record(): PackageRecord;

  /** Returns all requirements of its entries, each once. Requirements that cannot be parsed are left out. */
  get requirements(): readonly Requirement[] {
    this.#requirements ??= requirementsOfRecord(this.record);
    return this.#requirements;
  }
}

/** A package with its record in memory. */
export class PackageInMemory extends IndexedPackage {
  #hash: string | undefined;

  constructor(readonly record: PackageRecord) {
    super(record.name, offersOf(record));
  }

  get hash(): string {
    this.#hash ??= recordHash(this.record);
    return this.#hash;
  }
}

/**
 * A package with its record as canonical JSON in memory. The record is parsed on use and dropped when memory
 * is needed.
 */
export class StoredPackage extends IndexedPackage {
  readonly hash: string;
  #parsed: WeakRef<PackageRecord> | undefined;

  constructor(
    { name, hash, offers }: PackageSummary,
    private readonly bytes: Uint8Array,
  ) {
    super(name, offers);
    this.hash = hash;
  }

  get record(): PackageRecord {
    const held = this.#parsed?.deref();
    if (held !== undefined) return held;
    const record: PackageRecord = JSON.parse(new TextDecoder().decode(this.bytes));
    this.#parsed = new WeakRef(record);
    return record;
  }
}

/** Returns all offers of the package's entries, in the order in which they are found. */
export function offersOf({ entries }: PackageRecord): PackageOffers {
  const packages = new Set<string>();
  const apis = new Set<string>();
  const labels = new Set<string>();
  for (const { properties } of entries) {
    const facts = bundleFacts(properties);
    for (const { name } of facts.packages) packages.add(name);
    for (const api of facts.apis) apis.add(apiKey(api));
    for (const label of facts.labels) labels.add(label);
  }
  return { packages: [...packages], apis: [...apis], labels: [...labels] };
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
