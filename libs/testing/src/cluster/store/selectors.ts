import type { ApiObject } from '../objects/api-object.js';
import { at } from '../objects/json.js';
import { badRequest } from '../objects/refusal.js';
import type { ResourceInfo } from '../resources/resource-info.js';

export type Selector = (object: ApiObject) => boolean;

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

const KEY = '([A-Za-z0-9][-A-Za-z0-9_./]*)';
const VALUE = '([-A-Za-z0-9_.]*)';
const SET = new RegExp(`^${KEY}\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^${KEY}\\s*(==|=|!=)\\s*${VALUE}$`);
const EXISTS = new RegExp(`^(!?)\\s*${KEY}$`);

/** Splits at the commas outside parentheses. */
function terms(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function requirement(term: string): Requirement {
  const set = SET.exec(term);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    return operator === 'in'
      ? (labels) => labels[key] !== undefined && values.has(labels[key])
      : (labels) => labels[key] === undefined || !values.has(labels[key]);
  }
  const equality = EQUALITY.exec(term);
  if (equality !== null) {
    const [, key = '', operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const exists = EXISTS.exec(term);
  if (exists !== null) {
    const [, not, key = ''] = exists;
    return not === '!' ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
  }
  throw badRequest(`unable to parse requirement: found '${term}', expected: a label requirement`);
}

/**
 * labelSelector of a list or watch: equality (`a=b`, `a!=b`), sets (`a in (b,c)`, `a notin (b)`)
 * and existence (`a`, `!a`).
 */
export function labelSelector(text: string): Selector {
  const requirements = terms(text).map(requirement);
  return (object) => requirements.every((holds) => holds(object.metadata.labels ?? {}));
}

/** fieldSelector of a list or watch; refuses fields the resource does not select by. */
export function fieldSelector(text: string, info: ResourceInfo): Selector {
  const tests = terms(text).map((term) => fieldTest(term, info));
  return (object) => tests.every((holds) => holds(object));
}

function fieldTest(term: string, info: ResourceInfo): Selector {
  const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  const allowed = field === 'metadata.name' || field === 'metadata.namespace' || info.selectableFields.includes(field);
  if (!allowed) throw unknownField(field, info);
  const path = field.split('.');
  const wanted = operator !== '!=';
  return (object) => {
    const found = at(object, ...path);
    return (String(found ?? '') === value) === wanted;
  };
}

function unknownField(field: string, info: ResourceInfo): Error {
  if (!info.builtin || info.selectableFields.length > 0) return badRequest(`field label not supported: ${field}`);
  return badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

/** Both selectors of a request's query, joined. */
export function selectorOf(query: URLSearchParams, info: ResourceInfo): Selector | undefined {
  const labels = query.get('labelSelector');
  const fields = query.get('fieldSelector');
  const selectors = [...(labels ? [labelSelector(labels)] : []), ...(fields ? [fieldSelector(fields, info)] : [])];
  return selectors.length === 0 ? undefined : (object) => selectors.every((selects) => selects(object));
}
