import { asRecord } from '../../kernel/crd/loose-value.js';
import { checkCombinations } from './schema-combinations.js';
import { enumError, type FieldError, type SchemaPlace, type StructuralSchema, typeError } from './schema-errors.js';
import { checkList, checkNumber, checkObject, checkText } from './schema-keywords.js';

// The API server bounds the depth of objects too; beyond this nothing is checked rather
// than the stack exhausted.
const MAX_DEPTH = 100;

/**
 * Violations of a schema, in the words of the API server's validator. CEL rules (`x-kubernetes-validations`)
 * and unknown fields are not checked, as in OLM: the server applies the rules when the objects are written
 * next, and accepts an unchanged field. Spec: install-plans.md §7.
 */
export const schemaViolations = (schema: StructuralSchema, value: unknown): FieldError[] =>
  violationsAt(schema, value, { path: '', depth: 0 });

function violationsAt(schema: StructuralSchema, value: unknown, place: SchemaPlace): FieldError[] {
  if (place.depth > MAX_DEPTH) return [];
  if (value === null && schema['nullable'] === true) return [];
  const wrongType = typeError(schema, value, place.path);
  if (wrongType !== undefined) return [wrongType];
  const wrongChoice = enumError(schema, value, place.path);
  return [
    ...(wrongChoice === undefined ? [] : [wrongChoice]),
    ...keywordViolations(schema, value, place),
    ...checkCombinations(schema, value, place, violationsAt),
  ];
}

function keywordViolations(schema: StructuralSchema, value: unknown, place: SchemaPlace): FieldError[] {
  if (typeof value === 'number') return checkNumber(schema, value, place.path);
  if (typeof value === 'string') return checkText(schema, value, place.path);
  if (Array.isArray(value)) return checkList(schema, value, place, violationsAt);
  if (typeof value === 'object' && value !== null) return checkObject(schema, asRecord(value), place, violationsAt);
  return [];
}
