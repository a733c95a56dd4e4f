import { byCodeUnit } from '../canonical/canonical-json.js';
import { foldCase } from '../json/go-json.js';
import { isRecord } from '../json/json-access.js';
import { typeProblem } from '../verdict/read-foreign.js';
import type { Decoded } from './decoded.js';
import { isScalar, nullProblem, readLeaf, zeroLeaf } from './leaf-types.js';
import { ProblemPath } from './problem-path.js';
import { isSchemaLeaf, schemaChoice } from './schema-choice.js';
import { type MemberShape, type StructShape, structShape, type TypeShape } from './type-shape.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns Go's output after it has read a JSON value into the struct of this name. Every member without
 * `omitempty` is there, empty ones with it and unknown ones are not, versions and quantities have one form.
 * Names of fields match in any case, as in Go's own decoder.
 */
export function writtenTyped<T>(type: string, value: unknown): Decoded<T> {
  const path = new ProblemPath();
  const written = writeStruct(structShape(type), value ?? undefined, path);
  return path.problems.length === 0 ? { ok: true, value: written as T } : { ok: false, problems: path.problems };
}

/** Returns the value as Go writes it. Returns undefined for a pointer to nothing. */
function write(type: TypeShape, value: unknown, path: ProblemPath): unknown {
  switch (type.is) {
    case 'pointer':
      return isAbsent(value) ? undefined : write(type.of, value, path);
    case 'struct':
      return writeStruct(type, value, path);
    case 'list':
      return writeList(type.of, value, path);
    case 'map':
      return writeMap(type.of, value, path);
    case 'leaf':
      return writeLeaf(type, value, path);
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

function writeLeaf({ leaf }: TypeShape & { is: 'leaf' }, value: unknown, path: ProblemPath): unknown {
  if (leaf === 'RawMessage') return value;
  if (isAbsent(value)) {
    const refused = value === null ? nullProblem(leaf) : undefined;
    if (refused !== undefined) path.refuse(refused);
    return zeroLeaf(leaf);
  }
  const choice = isSchemaLeaf(leaf) ? schemaChoice(leaf, value) : readLeaf(leaf, value);
  if ('type' in choice) return write(choice.type, value, path);
  if (!('problem' in choice)) return choice.written;
  path.refuse(choice.problem);
  return zeroLeaf(leaf);
}

function writeStruct(struct: StructShape, value: unknown, path: ProblemPath): Json {
  if (!isAbsent(value) && !isRecord(value)) path.refuse(typeProblem(value, 'a map'));
  const given = isRecord(value) ? byMember(struct, value) : {};
  const written: Record<string, unknown> = {};
  for (const [name, member] of struct.members) {
    const inner = path.within(name, () => write(member.type, given[name], path));
    if (!isOmitted(member, inner)) written[name] = inner ?? null;
  }
  return written;
}

/** Returns the fields under the names of their members. */
function byMember(struct: StructShape, value: Json): Json {
  const unknown = Object.keys(value).filter((key) => !struct.members.has(key));
  if (unknown.length === 0) return value;
  const folded = foldedNames(struct);
  if (!unknown.some((key) => folded.has(foldCase(key)))) return value;
  const found: Record<string, unknown> = {};
  for (const key of Object.keys(value).toSorted(byCodeUnit)) {
    const name = struct.members.has(key) ? key : folded.get(foldCase(key));
    if (name !== undefined) found[name] = value[key];
  }
  return found;
}

const namesByFold = new WeakMap<StructShape, ReadonlyMap<string, string>>();

function foldedNames(struct: StructShape): ReadonlyMap<string, string> {
  const known = namesByFold.get(struct);
  if (known !== undefined) return known;
  const names = new Map([...struct.members.keys()].map((name) => [foldCase(name), name]));
  namesByFold.set(struct, names);
  return names;
}

function isOmitted({ type, omit }: MemberShape, written: unknown): boolean {
  if (omit === undefined) return false;
  if (omit === 'zero') return JSON.stringify(written) === zeroText(type);
  if (written === undefined) return true;
  if (written === null) return type.is === 'list' || type.is === 'map' || (type.is === 'leaf' && type.leaf === 'bytes');
  switch (type.is) {
    case 'leaf':
      return type.leaf === 'bytes' ? written === '' : isScalar(type.leaf) && written === zeroLeaf(type.leaf);
    case 'list':
      return Array.isArray(written) && written.length === 0;
    case 'map':
      return Object.keys(written).length === 0;
    default:
      return false;
  }
}

const zeroTexts = new WeakMap<TypeShape, string>();

function zeroText(type: TypeShape): string {
  const known = zeroTexts.get(type);
  if (known !== undefined) return known;
  const text = JSON.stringify(write(type, undefined, new ProblemPath()));
  zeroTexts.set(type, text);
  return text;
}

function writeList(of: TypeShape, value: unknown, path: ProblemPath): readonly unknown[] | null {
  if (isAbsent(value)) return null;
  if (Array.isArray(value)) return value.map((item, at) => path.within(at, () => write(of, item, path) ?? null));
  path.refuse(typeProblem(value, 'a list'));
  return null;
}

function writeMap(of: TypeShape, value: unknown, path: ProblemPath): Json | null {
  if (isAbsent(value)) return null;
  if (!isRecord(value)) {
    path.refuse(typeProblem(value, 'a map'));
    return null;
  }
  const keys = Object.keys(value).toSorted(byCodeUnit);
  return Object.fromEntries(keys.map((key) => [key, path.within(key, () => write(of, value[key], path) ?? null)]));
}
