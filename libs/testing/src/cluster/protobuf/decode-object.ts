import type { JsonObject } from '../objects/json.js';
import { badRequest } from '../objects/refusal.js';
import { type TypeField, typeDescription, typeOfKind } from '../types/kubernetes-types.js';
import { isSpecial, specialValue } from './special-types.js';
import { bytesOf, varintOf, type WireField, wireFields } from './wire-reader.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** First bytes of every protobuf body of Kubernetes. */
const MAGIC = Buffer.from('k8s\0');
const MAX_DEPTH = 100;

/**
 * Decodes a body that holds an object of one of Kubernetes' own kinds, as kubectl sends it for its creates:
 * the envelope runtime.Unknown with the kind and the typed object in it. Returns undefined for every other
 * kind: the API server takes these only as JSON or YAML.
 */
export function decodeProtobuf(body: Buffer): JsonObject | undefined {
  try {
    return decodedEnvelope(body);
  } catch (error) {
    throw badRequest(`the body of the request could not be decoded as protobuf: ${errorText(error)}`);
  }
}

const errorText = (error: unknown) => (error instanceof Error ? error.message : String(error));

function decodedEnvelope(body: Buffer): JsonObject | undefined {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new Error(`provided data does not appear to be a protobuf message, expected prefix ${MAGIC.toJSON().data}`);
  }
  const fields = wireFields(body.subarray(MAGIC.length));
  const part = (of: readonly WireField[], number: number): Buffer => {
    const found = of.findLast((field) => field.number === number);
    return found === undefined ? Buffer.alloc(0) : bytesOf(found);
  };
  const typeMeta = wireFields(part(fields, 1));
  const apiVersion = part(typeMeta, 1).toString();
  const kind = part(typeMeta, 2).toString();
  const type = typeOfKind(apiVersion, kind);
  return type === undefined ? undefined : { apiVersion, kind, ...decodedMessage(type, part(fields, 2), 0) };
}

function decodedMessage(type: string, message: Buffer, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new Error('recursion limit exceeded');
  const description = typeDescription(type);
  if (description === undefined) throw new Error(`no description of ${type}`);
  const byNumber = new Map(description.fields.map((field) => [field.number, field]));
  const result: JsonObject = {};
  const lists = new Map<string, unknown[]>();
  const maps = new Map<string, [string, unknown][]>();
  for (const wire of wireFields(message)) {
    const field = byNumber.get(wire.number);
    // Fields of a newer Kubernetes are skipped, as the API server does.
    if (field === undefined) continue;
    if (field.of === 'map') added(maps, field.name, mapEntry(field, bytesOf(wire), depth));
    else if (field.of === 'list') added(lists, field.name, decodedValue(field.type, wire, depth));
    else addField(result, field, decodedValue(field.type, wire, depth));
  }
  for (const [name, entries] of maps) result[name] = Object.fromEntries(entries);
  return { ...result, ...Object.fromEntries(lists) };
}

function added<T>(to: Map<string, T[]>, name: string, value: T): void {
  const there = to.get(name);
  if (there === undefined) to.set(name, [value]);
  else there.push(value);
}

function addField(result: JsonObject, field: TypeField, value: unknown): void {
  if (field.name === '') Object.assign(result, value);
  else if (!(field.omitsZero === true && isZero(value))) result[field.name] = value;
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false || value === null;

function mapEntry(field: TypeField, message: Buffer, depth: number): [string, unknown] {
  let key = '';
  let value: unknown = field.type === 'strings' ? [] : '';
  for (const wire of wireFields(message)) {
    if (wire.number === 1) key = bytesOf(wire).toString();
    if (wire.number === 2) value = decodedValue(field.type, wire, depth);
  }
  return [key, value];
}

function decodedValue(type: string, wire: WireField, depth: number): unknown {
  switch (type) {
    case 'string':
      return bytesOf(wire).toString();
    case 'bytes':
      return bytesOf(wire).toString('base64');
    case 'strings':
      return wireFields(bytesOf(wire)).map((item) => bytesOf(item).toString());
    case 'bool':
      return varintOf(wire) !== 0n;
    case 'int32':
    case 'int64':
      return Number(varintOf(wire));
    case 'double':
      return bytesOf(wire).readDoubleLE();
    default: {
      const message = bytesOf(wire);
      const decode = (inner: string, bytes: Buffer) => decodedMessage(inner, bytes, depth + 1);
      return isSpecial(type) ? specialValue(type, message, decode) : decode(type, message);
    }
  }
}
