import { nullProblem, readLeaf } from './leaf-types.js';
import { isSchemaLeaf, type SchemaLeaf, schemaChoice } from './schema-choice.js';
import type { StructShape, TypeShape } from './type-shape.js';

/**
 * True if Go certainly reads a value into this type, with all of its parts. False says nothing: a field that
 * is unknown here may be a known one in another case.
 */
export function isDecodable(type: TypeShape, value: unknown): boolean {
  if (value === null) return type.is !== 'leaf' || nullProblem(type.leaf) === undefined;
  switch (type.is) {
    case 'leaf':
      if (type.leaf === 'string') return typeof value === 'string';
      if (isSchemaLeaf(type.leaf)) return isDecodableChoice(type.leaf, value);
      return type.leaf === 'RawMessage' || !('problem' in readLeaf(type.leaf, value));
    case 'pointer':
      return isDecodable(type.of, value);
    case 'list':
      return Array.isArray(value) && value.every((item) => isDecodable(type.of, item));
    case 'map':
      return isObject(value) && areDecodable(type.of, value);
    case 'struct':
      return isObject(value) && hasDecodableMembers(type, value);
  }
}

function isDecodableChoice(leaf: SchemaLeaf, value: unknown): boolean {
  const choice = schemaChoice(leaf, value);
  return 'type' in choice ? isDecodable(choice.type, value) : !('problem' in choice);
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && !Array.isArray(value);

function areDecodable(of: TypeShape, values: Json): boolean {
  for (const key in values) if (!isDecodable(of, values[key])) return false;
  return true;
}

function hasDecodableMembers(struct: StructShape, value: Json): boolean {
  for (const name in value) {
    const member = struct.members.get(name);
    if (member === undefined || !isDecodable(member.type, value[name])) return false;
  }
  return true;
}
