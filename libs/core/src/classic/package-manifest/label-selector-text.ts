/** True if labels are selected. */
export type SelectsLabels = (labels: Readonly<Record<string, string>>) => boolean;

const KEY = '[A-Za-z0-9./_-]+';
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUAL = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*([A-Za-z0-9._-]*)$`);
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`);

/** Parses a label selector as kubectl's `-l` sends it. Undefined if it is not a selector. */
export function labelSelectorOf(text: string): SelectsLabels | undefined {
  const terms = text.split(/,(?![^(]*\))/).map((term) => term.trim());
  const parts = terms.length === 1 && terms[0] === '' ? [] : terms.map(selectsTerm);
  const selects = parts.flatMap((part) => (part === undefined ? [] : [part]));
  if (selects.length < parts.length) return undefined;
  return (labels) => selects.every((one) => one(labels));
}

function selectsTerm(term: string): SelectsLabels | undefined {
  const [, setKey, operator, list = ''] = SET.exec(term) ?? [];
  if (setKey !== undefined) {
    const values = new Set(list.split(',').map((value) => value.trim()));
    return operator === 'in' ? isOneOf(setKey, values) : not(isOneOf(setKey, values));
  }
  const [, key, sign, value = ''] = EQUAL.exec(term) ?? [];
  if (key !== undefined) return sign === '!=' ? not(isOneOf(key, new Set([value]))) : isOneOf(key, new Set([value]));
  const [, bang, name] = EXISTS.exec(term) ?? [];
  if (name === undefined) return undefined;
  const exists: SelectsLabels = (labels) => Object.hasOwn(labels, name);
  return bang === '!' ? not(exists) : exists;
}

const isOneOf =
  (key: string, values: ReadonlySet<string>): SelectsLabels =>
  (labels) =>
    Object.hasOwn(labels, key) && values.has(labels[key] ?? '');

const not =
  (selects: SelectsLabels): SelectsLabels =>
  (labels) =>
    !selects(labels);
