import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { compileCelRule } from './cel/cel-rule.js';
import { jsonTypeName, stringFields } from './property-value.js';
import { packageRequirement, type Requirement, type RequirementError } from './requirement.js';

/** Most bytes of compact JSON of a constraint; a larger one is refused (spec: classic-resolution.md §5). */
const MAX_CONSTRAINT_BYTES = 131072;
/** Deeper nesting than any sensible constraint; ours, OLM relies on the byte limit. */
const MAX_CONSTRAINT_DEPTH = 200;

const KINDS = ['gvk', 'package', 'all', 'any', 'not', 'cel'] as const;
type Kind = (typeof KINDS)[number];
type Fields = Readonly<{ failureMessage: string } & Partial<Record<Kind, unknown>>>;
type Result<T> = Readonly<{ value: T }> | RequirementError;

/** Reads the value of an `olm.constraint` property (spec: classic-resolution.md §5). */
export function parseOlmConstraint(value: unknown): Requirement | RequirementError {
  const refused = checkConstraint(value);
  if (refused !== undefined) return { error: `parse olm.constraint: ${refused.error}` };
  const requirement = convert(value);
  return 'error' in requirement
    ? { error: `convert olm.constraint to resolver predicate: ${requirement.error}` }
    : requirement;
}

/**
 * Returns the error of OLM's parser for the value. A value without error can still be refused later, as empty
 * for instance.
 */
export function checkConstraint(value: unknown): RequirementError | undefined {
  // An object that nests too deep for a recursive walk must not reach JSON.stringify either.
  const refused = checkShape(value, 0);
  if (refused !== undefined) return refused;
  const bytes = new TextEncoder().encode(JSON.stringify(value) ?? '').length;
  return bytes > MAX_CONSTRAINT_BYTES
    ? { error: `olm.constraint value is longer than ${MAX_CONSTRAINT_BYTES} bytes` }
    : undefined;
}

function checkShape(value: unknown, depth: number): RequirementError | undefined {
  if (depth > MAX_CONSTRAINT_DEPTH) return { error: `constraints nest deeper than ${MAX_CONSTRAINT_DEPTH} levels` };
  const fields = readFields(value);
  if ('error' in fields) return fields;
  for (const kind of KINDS) {
    const inner = fields.value[kind];
    const refused = inner === undefined ? undefined : checkKind(kind, inner, depth);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function checkKind(kind: Kind, inner: unknown, depth: number): RequirementError | undefined {
  if (kind === 'gvk') return checkStrings(inner, ['group', 'version', 'kind']);
  if (kind === 'package') return checkStrings(inner, ['packageName', 'versionRange']);
  if (kind === 'cel') return checkStrings(inner, ['rule']);
  const parts = constraintsOf(inner);
  if ('error' in parts) return parts;
  for (const part of parts.value) {
    const refused = checkShape(part, depth + 1);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function checkStrings(value: unknown, names: readonly string[]): RequirementError | undefined {
  const keys = keysOf(value);
  if ('error' in keys) return keys;
  const unknown = keys.value.find((key) => !names.some((name) => name.toLowerCase() === key.toLowerCase()));
  if (unknown !== undefined) return unknownField(unknown);
  return stringFields(value, names) === undefined
    ? { error: 'json: cannot unmarshal a field into a string' }
    : undefined;
}

const unknownField = (name: string): RequirementError => ({ error: `json: unknown field ${goQuote(name)}` });

function keysOf(value: unknown): Result<string[]> {
  if (isRecord(value)) return { value: Object.keys(value) };
  return { error: `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type constraints.Constraint` };
}

/**
 * Reads the fields of a constraint. Null counts as absent, and keys match without regard to case, as in Go.
 */
function readFields(value: unknown): Result<Fields> {
  if (value === null) return { value: { failureMessage: '' } };
  const keys = keysOf(value);
  if ('error' in keys) return keys;
  const fields: { failureMessage: string } & Partial<Record<Kind, unknown>> = { failureMessage: '' };
  for (const [key, inner] of Object.entries(value as Record<string, unknown>)) {
    const name = key.toLowerCase();
    const kind = KINDS.find((candidate) => candidate === name);
    if (kind !== undefined) {
      if (inner !== null) fields[kind] = inner;
    } else if (name !== 'failuremessage') return unknownField(key);
    else if (typeof inner === 'string') fields.failureMessage = inner;
    else if (inner !== null) {
      return {
        error: `json: cannot unmarshal ${jsonTypeName(inner)} into Go struct field Constraint.failureMessage of type string`,
      };
    }
  }
  return { value: fields };
}

function constraintsOf(value: unknown): Result<readonly unknown[]> {
  const keys = keysOf(value);
  if ('error' in keys) return keys;
  const unknown = keys.value.find((key) => key.toLowerCase() !== 'constraints');
  if (unknown !== undefined) return unknownField(unknown);
  const list = Object.values(value as Record<string, unknown>).at(-1) ?? [];
  return Array.isArray(list)
    ? { value: list }
    : { error: `json: cannot unmarshal ${jsonTypeName(list)} into Go struct field of type []constraints.Constraint` };
}

/** Converts a constraint. If it has several kinds, the first of gvk, package, all, any, not, cel counts. */
function convert(value: unknown): Requirement | RequirementError {
  const fields = readFields(value);
  if ('error' in fields) return fields;
  const kind = KINDS.find((candidate) => fields.value[candidate] !== undefined);
  if (kind === undefined) return { error: 'constraint is empty' };
  const requirement = convertKind(kind, fields.value[kind]);
  const { failureMessage } = fields.value;
  return 'error' in requirement || failureMessage === '' ? requirement : { ...requirement, failureMessage };
}

function convertKind(kind: Kind, inner: unknown): Requirement | RequirementError {
  switch (kind) {
    case 'gvk': {
      const api = stringFields(inner, ['group', 'version', 'kind']);
      return { kind: 'api', api: api ?? { group: '', version: '', kind: '' } };
    }
    case 'package': {
      const named = stringFields(inner, ['packageName', 'versionRange']);
      return packageRequirement(named?.packageName ?? '', named?.versionRange ?? '');
    }
    case 'cel': {
      const rule = compileCelRule(stringFields(inner, ['rule'])?.rule ?? '');
      return 'error' in rule ? rule : { kind: 'cel', rule };
    }
    default:
      return convertCompound(kind, inner);
  }
}

function convertCompound(kind: 'all' | 'any' | 'not', inner: unknown): Requirement | RequirementError {
  const parts = constraintsOf(inner);
  if ('error' in parts) return parts;
  const of: Requirement[] = [];
  for (const part of parts.value) {
    const requirement = convert(part);
    if ('error' in requirement) return requirement;
    of.push(requirement);
  }
  return { kind, of };
}
