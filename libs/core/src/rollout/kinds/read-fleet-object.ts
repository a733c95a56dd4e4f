import { z } from 'zod';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import {
  ALL_FLEET_KINDS,
  type AnyFleetKind,
  API_KINDS,
  FLEET_KINDS,
  type FleetKind,
  type FleetObject,
  HUB_KINDS,
} from '../../kernel/api/fleet/fleet-kinds.js';
import { fieldProblem } from './field-problems.js';
import { brokenRules, type RuleSchema } from './rule-check.js';

const isFleetKind = (kind: string): kind is FleetKind => Object.hasOwn(FLEET_KINDS, kind);

/** The JSON schema of a kind's `spec`, with its rules in CEL. */
export const specSchema = (kind: AnyFleetKind): RuleSchema => {
  const known = schemas.get(kind) ?? (z.toJSONSchema(ALL_FLEET_KINDS[kind].shape.spec, { io: 'input' }) as RuleSchema);
  schemas.set(kind, known);
  return known;
};
const schemas = new Map<AnyFleetKind, RuleSchema>();

type ReadFleetObject = Readonly<{ object: FleetObject } | { problem: string } | { other: true }>;

/**
 * Reads an object as an API server with the CRDs would: its fields, defaults, and the rules in CEL, also
 * those that compare it with the object that it replaces. `other`: a fleet kind that has no part in a
 * rehearsal.
 */
export function readFleetObject(value: unknown, before?: FleetObject): ReadFleetObject {
  const { apiVersion, kind } = value as Readonly<{ apiVersion?: unknown; kind?: unknown }>;
  if (typeof kind !== 'string') return { problem: 'kind is missing' };
  if (apiVersion === FLEET_API && (Object.hasOwn(HUB_KINDS, kind) || Object.hasOwn(API_KINDS, kind))) {
    return { other: true };
  }
  if (apiVersion !== FLEET_API || !isFleetKind(kind)) {
    return {
      problem: `${kind} of ${String(apiVersion)} is not a fleet kind: expected ${Object.keys(FLEET_KINDS).join(', ')} of ${FLEET_API}`,
    };
  }
  const parsed = FLEET_KINDS[kind].safeParse(value);
  if (!parsed.success) return { problem: issueText(parsed.error) };
  const [broken] = brokenRules(specSchema(kind), parsed.data.spec, before?.spec, 'spec');
  if (broken !== undefined) return { problem: broken };
  const object: FleetObject = parsed.data;
  const problem = fieldProblem(object);
  return problem === undefined ? { object } : { problem };
}

/** The first problem of a value, with the place of its field. */
export function issueText({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'cannot be read';
  const place = issue.path.reduce<string>(
    (text, key) => `${text}${typeof key === 'number' ? `[${key}]` : text === '' ? String(key) : `.${String(key)}`}`,
    '',
  );
  const text = wordsOf(issue);
  return place === '' ? text : `${place}: ${text}`;
}

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/** Describes the problem of one field for users. A field with a message of its own keeps it. */
function wordsOf(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  }
  if (issue.code === 'too_big' && message.startsWith('Too big')) {
    return `must ${bound(issue.origin, 'at most', issue.maximum)}`;
  }
  if (issue.code === 'too_small' && message.startsWith('Too small')) {
    return `must ${bound(issue.origin, 'at least', issue.minimum)}`;
  }
  return message.endsWith('received undefined') ? 'is missing' : message;
}

const bound = (origin: string, which: string, limit: number | bigint): string =>
  Object.hasOwn(UNITS, origin) ? `have ${which} ${limit}${UNITS[origin]}` : `be ${which} ${limit}`;
