import { parseRange, type Range } from '../../kernel/versions/blang-range.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import type { Version } from '../../kernel/versions/version.js';
import { type BundleFacts, bundleFacts } from './bundle-facts.js';
import type { EntryRecord } from './package-record.js';
import type { Requirement, RequirementError } from './requirement.js';
import { requirementsOf } from './requirements-of.js';

/** The parsed form of an entry record: properties, version and range; requirements when first asked for. */
class EntryFacts {
  readonly version: Version | undefined;
  /** Absent when it does not parse (spec: classic-resolution.md §2.2). */
  readonly skipRange: Range | undefined;
  readonly facts: BundleFacts;
  #requirements: readonly Requirement[] | RequirementError | undefined;

  constructor(private readonly record: EntryRecord) {
    const skipRange = parseRange(record.skipRange);
    this.skipRange = 'error' in skipRange ? undefined : skipRange;
    this.version = versionOrNone(record.version);
    this.facts = bundleFacts(record.properties);
  }

  get requirements(): readonly Requirement[] | RequirementError {
    this.#requirements ??= requirementsOf(this.record.properties);
    return this.#requirements;
  }
}

/**
 * Facts follow from the record alone, so they are kept as long as the record is: most problems
 * ask of the same records.
 */
const known = new WeakMap<EntryRecord, EntryFacts>();

/** Returns the facts of a record. The record must not change afterwards. */
export function entryFacts(record: EntryRecord): EntryFacts {
  const found = known.get(record) ?? new EntryFacts(record);
  known.set(record, found);
  return found;
}

/**
 * Returns the version as OLM reads it. Returns undefined when it does not parse (spec: classic-resolution.md
 * §2.2).
 */
export function versionOrNone(text: string): Version | undefined {
  const version = parseTolerant(text);
  return 'error' in version ? undefined : version;
}
