import { isRecord } from '../json/json-access.js';
import { typeProblem } from '../verdict/read-foreign.js';
import type { Decoded } from './decoded.js';
import { fitsStruct } from './fits-struct.js';
import { nullProblem, readLeaf, zeroLeaf } from './leaf-types.js';
import { presentMembers } from './present-members.js';
import { ProblemPath } from './problem-path.js';
import { type LeafType, type MemberShape, type StructShape, structShape, type TypeShape } from './type-shape.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON value as Go reads it into the struct of this name (see {@link structShape}). Null is absent,
 * members that Go always writes have their zero value, and a value of another type is a problem. Unknown
 * fields stay. A value that needs no change is returned as it is, not copied.
 */
export function readTyped<T>(type: string, value: unknown): Decoded<T> {
  const { value: read, problems } = readAnyway<T>(type, value);
  return problems.length === 0 ? { ok: true, value: read } : { ok: false, problems };
}

/** Reads as {@link readTyped} does; fields with problems are left out. */
export function readAnyway<T>(type: string, value: unknown): Readonly<{ value: T; problems: ProblemPath['problems'] }> {
  const struct = structShape(type);
  const path = new ProblemPath();
  const read = fitsStruct(struct, value) ? value : readStruct(struct, value ?? {}, path);
  return { value: read as T, problems: path.problems };
}

/** Reads a value that is not null; undefined if it has a problem. */
function read(type: TypeShape, value: unknown, path: ProblemPath): unknown {
  switch (type.is) {
    case 'pointer':
      return read(type.of, value, path);
    case 'struct':
      return type.isPassedOn && isRecord(value) ? value : readStruct(type, value, path);
    case 'list':
      return readList(type.of, value, path);
    case 'map':
      return readMap(type.of, value, path);
    case 'leaf':
      return readLeafOf(type.leaf, value, path);
  }
}

function readLeafOf(leaf: LeafType, value: unknown, path: ProblemPath): unknown {
  // Times are only shown: any text that a cluster gives is kept.
  const read = readLeaf(leaf === 'Time' || leaf === 'MicroTime' ? 'string' : leaf, value);
  if ('problem' in read) {
    path.refuse(read.problem);
    return undefined;
  }
  return leaf === 'Unstructured' ? readStruct(structShape('Object'), value, path) : value;
}

function readStruct(struct: StructShape, value: unknown, path: ProblemPath): Json | undefined {
  if (!isRecord(value)) {
    path.refuse(typeProblem(value, 'a map'));
    return undefined;
  }
  let copy: Record<string, unknown> | undefined;
  for (const name in value) {
    const member = struct.members.get(name);
    if (member === undefined) continue;
    const given = value[name];
    const kept = readMember(member, name, given, path);
    if (kept === given) continue;
    copy ??= { ...value };
    if (kept === undefined) delete copy[name];
    else copy[name] = kept;
  }
  for (const name of presentMembers(struct)) {
    if ((copy ?? value)[name] !== undefined) continue;
    copy ??= { ...value };
    copy[name] = zeroMember(struct, name);
  }
  return copy ?? value;
}

function readMember({ type }: MemberShape, name: string, value: unknown, path: ProblemPath): unknown {
  // Most members are scalars of the right type: they need no path.
  if (type.is === 'leaf' && type.leaf === 'string' && typeof value === 'string') return value;
  if (value === undefined) return undefined;
  return path.within(name, () => {
    if (value !== null) return read(type, value, path);
    if (type.is !== 'leaf') return undefined;
    // Go writes null for a time that is not set, and keeps raw JSON as it came.
    if (type.leaf === 'Time' || type.leaf === 'RawMessage') return null;
    const refused = nullProblem(type.leaf);
    if (refused !== undefined) path.refuse(refused);
    return undefined;
  });
}

function readList(of: TypeShape, value: unknown, path: ProblemPath): readonly unknown[] | undefined {
  if (!Array.isArray(value)) {
    path.refuse(typeProblem(value, 'a list'));
    return undefined;
  }
  const items = value.map((item, at) => path.within(at, () => readItem(of, item, path)));
  return items.every((item, at) => item === value[at]) ? value : items;
}

function readMap(of: TypeShape, value: unknown, path: ProblemPath): Json | undefined {
  if (!isRecord(value)) {
    path.refuse(typeProblem(value, 'a map'));
    return undefined;
  }
  const isText = of.is === 'leaf' && of.leaf === 'string';
  const entries = Object.entries(value).map(([key, given]): [string, unknown] => {
    if (isText && typeof given === 'string') return [key, given];
    return [key, path.within(key, () => readItem(of, given, path))];
  });
  if (entries.every(([key, kept]) => kept === value[key])) return value;
  return Object.fromEntries(entries.filter(([, kept]) => kept !== undefined));
}

function zeroMember(struct: StructShape, name: string): unknown {
  const type = struct.members.get(name)?.type;
  return type === undefined ? undefined : zeroOf(type.is === 'pointer' ? type.of : type);
}

/** Reads an item. An item that is null has the zero value of its type; a pointer stays null. */
function readItem(of: TypeShape, item: unknown, path: ProblemPath): unknown {
  if (item !== null && item !== undefined) return read(of, item, path);
  return of.is === 'pointer' ? null : zeroOf(of);
}

function zeroOf(type: TypeShape): unknown {
  switch (type.is) {
    case 'leaf':
      return zeroLeaf(type.leaf);
    case 'struct':
      return readStruct(type, {}, new ProblemPath());
    case 'list':
      return [];
    case 'map':
      return {};
    case 'pointer':
      return null;
  }
}
