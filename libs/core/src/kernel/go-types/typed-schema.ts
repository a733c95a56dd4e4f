import { z } from 'zod';
import { isRecord } from '../json/json-access.js';
import { typeProblem } from '../verdict/read-foreign.js';
import type { Decoded, DecodeProblem } from './decoded.js';
import { readTyped } from './read-typed.js';

/** The identity of a kind. */
type KindApi = Readonly<{ apiVersion: string; kind: string }>;

/** Returns a schema that reads with `read`; the path of an issue is the one field of its problem. */
export const schemaOf = <T>(read: (value: unknown) => Decoded<T>): z.ZodType<T> =>
  z.unknown().transform((value, context): T => {
    const decoded = read(value);
    if (decoded.ok) return decoded.value;
    for (const { field, message } of decoded.problems) {
      context.addIssue({ code: 'custom', path: field === '' ? [] : [field], message, params: { decoded: true } });
    }
    return z.NEVER;
  });

/** Returns a schema for the Go struct of this name. */
export const structSchema = <T>(type: string): z.ZodType<T> => schemaOf((value) => readTyped<T>(type, value));

/**
 * Returns a schema for objects of one kind. `anyVersion`: the objects of every version of its group are read
 * alike.
 */
export const kindSchema = <T>(api: KindApi, type: string, anyVersion = false): z.ZodType<T> =>
  schemaOf((value) => {
    const problems = identityProblems(value, api, anyVersion);
    return problems.length > 0 ? { ok: false, problems } : readTyped<T>(type, value);
  });

function identityProblems(value: unknown, api: KindApi, anyVersion: boolean): DecodeProblem[] {
  if (!isRecord(value)) return [{ field: '', message: typeProblem(value, 'a map') }];
  const fields = ['apiVersion', 'kind'] as const;
  return fields.flatMap((field) => {
    const isRight =
      field === 'apiVersion' && anyVersion ? typeof value[field] === 'string' : value[field] === api[field];
    return isRight
      ? []
      : [{ field, message: value[field] === undefined ? 'is missing' : typeProblem(value[field], api[field]) }];
  });
}
