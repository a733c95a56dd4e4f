import { asList, asRecord } from '../../kernel/crd/loose-value.js';
import {
  type FieldError,
  invalid,
  type SchemaCheck,
  type SchemaPlace,
  type StructuralSchema,
} from './schema-errors.js';

/** allOf, anyOf, oneOf and not. */
export function checkCombinations(
  schema: StructuralSchema,
  value: unknown,
  place: SchemaPlace,
  check: SchemaCheck,
): FieldError[] {
  const deeper = { ...place, depth: place.depth + 1 };
  const branches = (keyword: string) => asList(schema[keyword]).map((branch) => check(asRecord(branch), value, deeper));
  const fitting = (results: readonly FieldError[][]) => results.filter((errors) => errors.length === 0).length;
  const [all, any, one] = [branches('allOf'), branches('anyOf'), branches('oneOf')];
  const errors = all.flat();
  if (any.length > 0 && fitting(any) === 0) {
    errors.push(invalid(place.path, value, 'must validate at least one schema (anyOf)'), ...(any[0] ?? []));
  }
  if (one.length > 0 && fitting(one) !== 1) {
    const found = fitting(one) === 0 ? '' : `. Found ${fitting(one)} valid alternatives`;
    errors.push(invalid(place.path, value, `must validate one and only one schema (oneOf)${found}`));
  }
  const excluded = schema['not'];
  if (excluded !== undefined && check(asRecord(excluded), value, deeper).length === 0) {
    errors.push(invalid(place.path, value, 'must not validate the schema (not)'));
  }
  return errors;
}
