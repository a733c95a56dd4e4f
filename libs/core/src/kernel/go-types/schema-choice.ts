import { typeProblem } from '../verdict/read-foreign.js';
import { type LeafType, structShape, type TypeShape } from './type-shape.js';

/** Places in the schema of a CRD that hold a schema, or something else. */
export type SchemaLeaf = 'SchemaOrArray' | 'SchemaOrBool' | 'SchemaOrStrings';

export const isSchemaLeaf = (leaf: LeafType): leaf is SchemaLeaf => leaf.startsWith('SchemaOr');

/**
 * Returns the type of a value in such a place. If Go skips the value, returns Go's output for it; if Go
 * refuses it, the problem.
 */
export function schemaChoice(
  leaf: SchemaLeaf,
  value: unknown,
): Readonly<{ type: TypeShape }> | Readonly<{ written: unknown }> | Readonly<{ problem: string }> {
  if (Array.isArray(value)) return listChoice(leaf, value);
  if (typeof value === 'object' && value !== null) return { type: structShape(SCHEMA) };
  if (leaf !== 'SchemaOrBool') return { written: null };
  if (typeof value === 'boolean') return { written: value };
  return { problem: typeProblem(value, 'true, false or a schema') };
}

const SCHEMA = 'apiextensions.JSONSchemaProps';

function listChoice(leaf: SchemaLeaf, value: readonly unknown[]): ReturnType<typeof schemaChoice> {
  if (leaf === 'SchemaOrBool') return { problem: typeProblem(value, 'true, false or a schema') };
  if (value.length === 0) return { written: null };
  const of: TypeShape = leaf === 'SchemaOrArray' ? structShape(SCHEMA) : { is: 'leaf', leaf: 'string' };
  return { type: { is: 'list', of } };
}
