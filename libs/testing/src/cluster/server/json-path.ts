import { isObject } from '../objects/json.js';

/**
 * The simple JSONPath of printer columns and field selectors: `.a.b[0].c`, `.a['b.c']`, `.a\.b`,
 * `[?(@.type=="X")].status`, `[*]`.
 */
export function jsonPath(path: string, value: unknown): unknown[] {
  return steps(path).reduce<unknown[]>((found, step) => found.flatMap((inner) => take(inner, step)), [value]);
}

type Step = { field: string } | { index: number } | { all: true } | { filter: string; equals: string };

const STEP = /\.((?:\\.|[^.[\\])+)|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]|\['([^']*)'\]|\[(\d+)\]|\[\*\]/g;

function steps(path: string): Step[] {
  const text = path.replace(/^\{|\}$/g, '');
  return [...(text.startsWith('.') || text.startsWith('[') ? text : `.${text}`).matchAll(STEP)].map((match): Step => {
    const [, field, filter, equals, quoted, index] = match;
    if (field !== undefined) return { field: field.replace(/\\(.)/g, '$1') };
    if (filter !== undefined) return { filter, equals: equals ?? '' };
    if (quoted !== undefined) return { field: quoted };
    return index === undefined ? { all: true } : { index: Number(index) };
  });
}

function take(value: unknown, step: Step): unknown[] {
  if ('field' in step) {
    const found = isObject(value) ? value[step.field] : undefined;
    return found === undefined ? [] : [found];
  }
  if (!Array.isArray(value)) return 'all' in step && isObject(value) ? Object.values(value) : [];
  if ('index' in step) return value.slice(step.index, step.index + 1);
  if ('all' in step) return value;
  return value.filter((item) => jsonPath(`.${step.filter}`, item).some((found) => String(found) === step.equals));
}
