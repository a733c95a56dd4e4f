import type { CatalogView } from '../../../catalog/model/catalog-view.js';
import { chainOrder } from '../../../catalog/model/channel-order.js';
import type { Entry } from '../../../catalog/model/entry.js';
import type { CatalogKey } from '../../../catalog/model/package-record.js';
import { meets, type Requirement } from '../../../catalog/model/requirement.js';
import { requirementText } from '../../../catalog/model/requirement-text.js';
import { byCodeUnit, canonicalJson } from '../../../kernel/canonical/canonical-json.js';

/** Entries that meet a requirement, best first; or why they cannot be put in order. */
export type Candidates = Readonly<{ entries: readonly Entry[] }> | Readonly<{ error: string }>;

/** Everything the solver may choose from in one namespace: installed CSVs and the visible catalogs. */
export class Snapshot {
  readonly catalogs: readonly CatalogView[];
  /** Cached candidates by the requester's catalog, which comes first, and by the requirement's key. */
  readonly #memo = new Map<CatalogKey | undefined, Map<string, Candidates>>();

  constructor(
    readonly namespace: string,
    readonly installed: readonly Entry[],
    catalogs: readonly CatalogView[],
  ) {
    this.catalogs = catalogs.toSorted(
      (a, b) =>
        b.priority - a.priority ||
        Number(b.key.namespace === namespace) - Number(a.key.namespace === namespace) ||
        byCodeUnit(a.key.name, b.key.name),
    );
  }

  catalog(key: CatalogKey): CatalogView | undefined {
    return this.catalogs.find((view) => sameKey(view.key, key));
  }

  /** Candidates for a requirement of `owner`, best first (spec: classic-resolution.md §5.1). */
  candidates(requirement: Requirement, owner: Entry): Candidates {
    const own = owner.from.kind === 'catalog' ? owner.from.catalog : undefined;
    const key = keyOf(requirement);
    const memo = this.#memo.get(own) ?? new Map<string, Candidates>();
    if (memo.size === 0) this.#memo.set(own, memo);
    const known = memo.get(key);
    if (known !== undefined) return known;
    const found = this.#find(requirement, own);
    memo.set(key, found);
    return found;
  }

  #find(requirement: Requirement, own: CatalogKey | undefined): Candidates {
    const installed = this.#installedCandidates(requirement);
    if ('error' in installed) return installed;
    const entries = [...installed.entries];
    const isOwn = (view: CatalogView) => own !== undefined && sameKey(view.key, own);
    for (const view of [...this.catalogs.filter(isOwn), ...this.catalogs.filter((view) => !isOwn(view))]) {
      for (const group of view.groupsFor(requirement)) {
        const meeting = group.meeting(requirement);
        if ('error' in meeting) return meeting;
        entries.push(...meeting.entries);
      }
    }
    return { entries };
  }

  /**
   * Installed CSVs form groups by package, but only those that satisfy the requirement count. Of several
   * orphans of one package OLM takes an arbitrary one: here the first by name.
   */
  #installedCandidates(requirement: Requirement): Candidates {
    if (this.installed.length === 0) return { entries: [] };
    const groups = Map.groupBy(
      this.installed.filter((entry) => meets(entry, requirement)),
      (entry) => entry.package,
    );
    const entries: Entry[] = [];
    for (const [, group] of [...groups].sort(([a], [b]) => byCodeUnit(a, b))) {
      const firstOrphan = group.find(isOrphan);
      const ordered = chainOrder(group.filter((entry) => !isOrphan(entry) || entry === firstOrphan));
      if ('error' in ordered) return ordered;
      entries.push(...ordered.entries);
    }
    return { entries };
  }
}

const isOrphan = ({ from }: Entry): boolean => from.kind === 'installed' && from.orphan;

const sameKey = (a: CatalogKey, b: CatalogKey): boolean => a.name === b.name && a.namespace === b.namespace;

/** Keys that find equal requirements. Each requirement is kept with its bundle. */
const keys = new WeakMap<Requirement, string>();

function keyOf(requirement: Requirement): string {
  const key = keys.get(requirement) ?? canonicalJson([requirement.kind, requirementKey(requirement)]);
  keys.set(requirement, key);
  return key;
}

function requirementKey(requirement: Requirement): unknown {
  switch (requirement.kind) {
    case 'all':
    case 'any':
    case 'not':
      return requirement.of.map((part) => [part.kind, requirementKey(part)]);
    case 'api':
      return [requirement.api.group, requirement.api.version, requirement.api.kind];
    case 'package':
      return [requirement.name, requirement.rangeText];
    default:
      return requirementText(requirement);
  }
}
