import type { JsonObject } from '../objects/json.js';
import { bytesOf, varintOf, type WireField, wireFields } from './wire-reader.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
export const SCHEMA_PROPS = `${EXTENSIONS}.JSONSchemaProps`;

/** Decodes a message of a type that is described in the table. */
export type DecodeMessage = (type: string, message: Buffer) => JsonObject;

type SpecialType = (fields: readonly WireField[], decode: DecodeMessage) => unknown;

const numbered = (fields: readonly WireField[], number: number): readonly WireField[] =>
  fields.filter((field) => field.number === number);
const last = (fields: readonly WireField[], number: number): WireField | undefined => numbered(fields, number).at(-1);
const text = (field: WireField | undefined): string => (field === undefined ? '' : bytesOf(field).toString());
const integer = (field: WireField | undefined): bigint => (field === undefined ? 0n : varintOf(field));
const json = (field: WireField | undefined): unknown => (field === undefined ? null : JSON.parse(text(field)));

/** A time that is not set is an empty message on the wire, and null in JSON. */
function time(fields: readonly WireField[], fraction: (nanos: number) => string): string | null {
  if (fields.length === 0) return null;
  const date = new Date(Number(integer(last(fields, 1))) * 1000);
  return `${date.toISOString().slice(0, 19)}${fraction(Number(integer(last(fields, 2))))}Z`;
}

const schemaProps = (field: WireField, decode: DecodeMessage) => decode(SCHEMA_PROPS, bytesOf(field));

/** The types that JSON shows in their own way, by name. */
const SPECIAL: Readonly<Record<string, SpecialType>> = {
  [`${META}.Time`]: (fields) => time(fields, () => ''),
  [`${META}.MicroTime`]: (fields) => time(fields, (nanos) => `.${String(Math.floor(nanos / 1000)).padStart(6, '0')}`),
  [`${META}.FieldsV1`]: (fields) => json(last(fields, 1)),
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (fields) => text(last(fields, 1)) || '0',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': (fields) =>
    integer(last(fields, 1)) === 1n ? text(last(fields, 3)) : Number(integer(last(fields, 2))),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': (fields) => json(last(fields, 1)),
  [`${EXTENSIONS}.JSON`]: (fields) => json(last(fields, 1)),
  [`${EXTENSIONS}.JSONSchemaPropsOrArray`]: (fields, decode) => {
    const schema = last(fields, 1);
    return schema === undefined
      ? numbered(fields, 2).map((one) => schemaProps(one, decode))
      : schemaProps(schema, decode);
  },
  [`${EXTENSIONS}.JSONSchemaPropsOrBool`]: (fields, decode) => {
    const schema = last(fields, 2);
    return schema === undefined ? integer(last(fields, 1)) === 1n : schemaProps(schema, decode);
  },
  [`${EXTENSIONS}.JSONSchemaPropsOrStringArray`]: (fields, decode) => {
    const schema = last(fields, 1);
    return schema === undefined ? numbered(fields, 2).map(text) : schemaProps(schema, decode);
  },
};

export const isSpecial = (type: string): boolean => Object.hasOwn(SPECIAL, type);

export const specialValue = (type: string, message: Buffer, decode: DecodeMessage): unknown =>
  SPECIAL[type]?.(wireFields(message), decode);
