import { equal, isObject, type JsonObject } from '../objects/json.js';
import { badRequest, Refusal } from '../objects/refusal.js';

type Operation = { op: string; path: string; from?: string; value?: unknown };

const rejected = () =>
  new Refusal(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

/** RFC 6902 on a copy of the document. A failing test, or a path that is not there, is refused with 422. */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('error decoding patch: json: cannot unmarshal into a list of operations');
  return patch.map(parseOperation).reduce<unknown>(applyOperation, document);
}

function parseOperation(raw: unknown): Operation {
  if (!isObject(raw) || typeof raw.op !== 'string' || typeof raw.path !== 'string') {
    throw badRequest('error decoding patch: an operation needs op and path');
  }
  const from = typeof raw.from === 'string' ? { from: raw.from } : {};
  return { op: raw.op, path: raw.path, ...from, ...('value' in raw ? { value: raw.value } : {}) };
}

function applyOperation(document: unknown, operation: Operation): unknown {
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'test':
      if (!equal(read(document, path), operation.value)) throw rejected();
      return document;
    case 'remove':
      return edit(document, path, 'remove', undefined);
    case 'add':
      return edit(document, path, 'add', operation.value);
    case 'replace':
      read(document, path);
      return edit(document, path, 'replace', operation.value);
    case 'copy':
      return edit(document, path, 'add', read(document, pointer(operation.from ?? '')));
    case 'move': {
      const from = pointer(operation.from ?? '');
      return edit(edit(document, from, 'remove', undefined), path, 'add', read(document, from));
    }
    default:
      throw badRequest(`error decoding patch: unknown operation ${operation.op}`);
  }
}

const pointer = (text: string): readonly string[] =>
  text === ''
    ? []
    : text
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function read(document: unknown, path: readonly string[]): unknown {
  let current = document;
  for (const part of path) {
    const next = Array.isArray(current) ? current[Number(part)] : isObject(current) ? current[part] : undefined;
    if (next === undefined) throw rejected();
    current = next;
  }
  return current;
}

type Edit = 'add' | 'remove' | 'replace';

function edit(node: unknown, path: readonly string[], how: Edit, value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (Array.isArray(node)) return editList(node, head, rest, how, value);
  if (!isObject(node)) throw rejected();
  const result: JsonObject = { ...node };
  if (rest.length > 0) {
    if (result[head] === undefined) throw rejected();
    result[head] = edit(result[head], rest, how, value);
  } else if (how === 'remove') {
    if (!(head in result)) throw rejected();
    delete result[head];
  } else result[head] = value;
  return result;
}

function editList(list: readonly unknown[], head: string, rest: readonly string[], how: Edit, value: unknown): unknown {
  const index = head === '-' ? list.length : Number(head);
  const last = how === 'add' && rest.length === 0 ? list.length : list.length - 1;
  if (!Number.isInteger(index) || index < 0 || index > last) throw rejected();
  if (rest.length > 0) return list.toSpliced(index, 1, edit(list[index], rest, how, value));
  if (how === 'remove') return list.toSpliced(index, 1);
  return list.toSpliced(index, how === 'add' ? 0 : 1, value);
}
