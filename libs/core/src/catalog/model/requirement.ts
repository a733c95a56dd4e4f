import type { GroupVersionKind } from '../../kernel/api/kubernetes-object.js';
import { inRange, parseRange, type Range } from '../../kernel/versions/blang-range.js';
import type { Version } from '../../kernel/versions/version.js';
import type { BundleFacts } from './bundle-facts.js';
import type { Property } from './catalog.js';
import type { CelRule } from './cel/cel-rule.js';

/** A candidate for a requirement: one catalog entry or installed CSV. */
export type Candidate = Readonly<{
  /** The package its catalog lists it under; of an installed CSV that of its last `olm.package` property. */
  package: string;
  version?: Version | undefined;
  properties: readonly Property[];
  facts: BundleFacts;
}>;

/**
 * A test on a single candidate; compounds too are never a test on a set (spec: classic-resolution.md §5).
 * `failureMessage` is the author's text for the case that no candidate passes.
 */
export type Requirement = Readonly<{ failureMessage?: string }> &
  (
    | Readonly<{ kind: 'api'; api: GroupVersionKind }>
    | Readonly<{ kind: 'package'; name: string; range: Range; rangeText: string }>
    | Readonly<{ kind: 'label'; label: string }>
    | Readonly<{ kind: 'all' | 'any' | 'not'; of: readonly Requirement[] }>
    | Readonly<{ kind: 'cel'; rule: CelRule }>
  );

/**
 * The reason why a property cannot be understood as a requirement. It ends the resolution when its bundle is
 * reached.
 */
export type RequirementError = Readonly<{ error: string }>;

/** Returns a requirement of a package in a version range; a bad range gives blang's text alone. */
export function packageRequirement(name: string, rangeText: string): Requirement | RequirementError {
  const range = parseRange(rangeText);
  return 'error' in range ? range : { kind: 'package', name, range, rangeText };
}

/** True if the candidate meets the requirement. */
export function meets(candidate: Candidate, requirement: Requirement): boolean {
  switch (requirement.kind) {
    case 'api': {
      const { group, version, kind } = requirement.api;
      return candidate.facts.apis.some((api) => api.kind === kind && api.group === group && api.version === version);
    }
    case 'package':
      return isPackage(candidate, requirement.name) && hasVersionIn(candidate, requirement.range);
    case 'label':
      return candidate.facts.labels.includes(requirement.label);
    case 'all':
      return requirement.of.every((part) => meets(candidate, part));
    case 'any':
      return requirement.of.some((part) => meets(candidate, part));
    case 'not':
      return !requirement.of.some((part) => meets(candidate, part));
    case 'cel':
      return requirement.rule.holds(candidate.properties);
  }
}

/** True if the catalog lists the entry under the package or a property names the package. */
export const isPackage = ({ package: own, facts }: Candidate, name: string): boolean =>
  own === name || facts.packages.some((fact) => fact.name === name);

const hasVersionIn = ({ facts, version }: Candidate, range: Range): boolean =>
  facts.packages.some((fact) => fact.version !== undefined && inRange(fact.version, range)) ||
  (version !== undefined && inRange(version, range));
