/** A JSON value as google.protobuf.Value, in the form that the protobuf library encodes. */
type StructValue = Readonly<Record<string, unknown>>;

function protobufValue(value: unknown): StructValue {
  if (value === null || value === undefined) return { nullValue: 'NULL_VALUE' };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(protobufValue) } };
  return { structValue: structOf({ ...value }) };
}

/** A JSON object as google.protobuf.Struct. */
export const structOf = (object: Readonly<Record<string, unknown>>): StructValue => ({
  fields: Object.fromEntries(Object.entries(object).map(([key, value]) => [key, protobufValue(value)])),
});
