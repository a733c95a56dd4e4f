import { foldCase } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { checkConstraint, parseOlmConstraint } from '../model/olm-constraint.js';
import type { Requirement } from '../model/requirement.js';
import type { StrictFinding } from './strict-warning.js';

const FORMS: Readonly<Record<string, string>> = {
  gvk: 'gvk: {group: <group>, version: <version>, kind: <kind>}',
  package: 'package: {packageName: <name>, versionRange: ">=1.0.0 <2.0.0"}',
  cel: 'cel: {rule: <expression>}',
  all: 'all: {constraints: [<constraint>, …]}',
  any: 'any: {constraints: [<constraint>, …]}',
  not: 'not: {constraints: [<constraint>, …]}',
};
const KINDS = Object.keys(FORMS);
const LIST_ADVICE = 'a constraint has one of gvk, package, cel, all, any, not, and a failureMessage';
/** The most levels that the parser reads. */
const MAX_DEPTH = 200;

/**
 * Returns the faults in the value of an `olm.constraint`: OLM refuses them, or can never satisfy them (spec:
 * classic-resolution.md §5).
 */
export function constraintFindings(value: unknown): StrictFinding[] {
  const nearMisses = [...misspelt(value, 'value', 0)];
  if (nearMisses.length > 0) return nearMisses;
  const refused = checkConstraint(value);
  if (refused !== undefined) return [{ message: refused.error, advice: LIST_ADVICE }];
  const requirement = parseOlmConstraint(value);
  if ('error' in requirement) return [{ message: requirement.error, advice: adviceFor(requirement.error) }];
  return neverMet(requirement);
}

function adviceFor(error: string): string {
  if (error.includes('cel')) return 'write a CEL expression over "properties" that gives true or false';
  if (error.endsWith('constraint is empty')) return LIST_ADVICE;
  return 'write the versionRange for example as ">=1.0.0 <2.0.0"';
}

/** Forms that are close to the right ones, each with the form that was meant. */
function* misspelt(value: unknown, path: string, depth: number): Generator<StrictFinding> {
  if (!isRecord(value) || depth > MAX_DEPTH) return;
  const kinds = Object.keys(value).filter((key) => KINDS.includes(foldCase(key)));
  if (kinds.length > 1) {
    yield {
      message: `${path}: only one of ${kinds.join(', ')} counts`,
      advice: 'put them into all: {constraints: […]}, each as an item',
    };
  }
  yield* wrapped(value, path, kinds);
  for (const key of kinds) {
    const kind = foldCase(key);
    const inner = value[key];
    const below = `${path}.${key}`;
    if (kind === 'all' || kind === 'any' || kind === 'not') yield* misspeltList(kind, inner, below, depth);
    else yield* misspeltLeaf(kind, inner, below);
  }
}

/** Finds a dependency as it is written in dependencies.yaml, or one with `property:` around it. */
function* wrapped(value: Record<string, unknown>, path: string, kinds: readonly string[]): Generator<StrictFinding> {
  if (kinds.length > 0 || !('type' in value || 'property' in value)) return;
  const type = isRecord(value['property']) ? value['property']['type'] : value['type'];
  const meant =
    typeof type === 'string' ? KINDS.find((kind) => type.replace(/\.required$/, '') === `olm.${kind}`) : undefined;
  yield {
    message: `${path}: constraints are not written as properties`,
    advice: `write ${FORMS[meant ?? 'gvk']}, without type, value or property around it`,
  };
}

function* misspeltList(kind: string, inner: unknown, path: string, depth: number): Generator<StrictFinding> {
  const fields = isRecord(inner) ? Object.keys(inner) : [];
  const list = isRecord(inner) ? inner[fields.find((name) => foldCase(name) === 'constraints') ?? ''] : undefined;
  if (!Array.isArray(list) || fields.length !== 1) {
    yield { message: `${path}: is not a list of constraints`, advice: `write ${FORMS[kind]}` };
    return;
  }
  for (const [index, item] of list.entries()) yield* misspelt(item, `${path}.constraints[${index}]`, depth + 1);
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  gvk: ['group', 'version', 'kind'],
  package: ['packagename', 'versionrange'],
  cel: ['rule'],
};

function* misspeltLeaf(kind: string, inner: unknown, path: string): Generator<StrictFinding> {
  const known = FIELDS[kind] ?? [];
  const advice = `write ${FORMS[kind]}`;
  if (!isRecord(inner)) {
    yield { message: `${path}: is not an object`, advice };
    return;
  }
  const fields = Object.keys(inner);
  const unknown = fields.filter((name) => !known.includes(foldCase(name)));
  if (unknown.length > 0) yield { message: `${path}: OLM does not know ${unknown.map(goQuote).join(', ')}`, advice };
  const filled = fields.filter((name) => inner[name] !== '' && inner[name] !== null).map(foldCase);
  const missing = known.filter((name) => !filled.includes(name));
  if (unknown.length === 0 && missing.length > 0) yield { message: `${path}: a field is missing or empty`, advice };
}

/**
 * Finds a requirement that is never met. A constraint is tested on one bundle alone, and a bundle belongs to
 * one package.
 */
function neverMet(requirement: Requirement): StrictFinding[] {
  const packages = possiblePackages(requirement);
  if (packages === 'any' || packages.size > 0) return [];
  return [
    {
      message: 'no bundle can meet this constraint: OLM tests it on one bundle, and a bundle belongs to one package',
      advice: 'for several dependencies write several olm.constraint properties, one for each',
    },
  ];
}

/** Returns the packages with bundles that may meet the requirement, or `any` if its package plays no role. */
function possiblePackages(requirement: Requirement): ReadonlySet<string> | 'any' {
  switch (requirement.kind) {
    case 'package':
      return new Set([requirement.name]);
    case 'all':
      return requirement.of.map(possiblePackages).reduce(inBoth, 'any');
    case 'any': {
      const parts = requirement.of.map(possiblePackages);
      return parts.includes('any') ? 'any' : new Set(parts.flatMap((part) => (part === 'any' ? [] : [...part])));
    }
    default:
      return 'any';
  }
}

function inBoth(a: ReadonlySet<string> | 'any', b: ReadonlySet<string> | 'any'): ReadonlySet<string> | 'any' {
  if (a === 'any') return b;
  return b === 'any' ? a : a.intersection(b);
}
