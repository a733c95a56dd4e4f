import { describe, expect, it } from 'vitest';
import { structOf } from './grpc-struct.js';

describe('structOf', () => {
  it.each([
    { json: 'text', value: { stringValue: 'text' } },
    { json: '', value: { stringValue: '' } },
    { json: 1.5, value: { numberValue: 1.5 } },
    { json: 0, value: { numberValue: 0 } },
    { json: true, value: { boolValue: true } },
    { json: false, value: { boolValue: false } },
    { json: null, value: { nullValue: 'NULL_VALUE' } },
    { json: [], value: { listValue: { values: [] } } },
    {
      json: ['a', [1]],
      value: { listValue: { values: [{ stringValue: 'a' }, { listValue: { values: [{ numberValue: 1 }] } }] } },
    },
    { json: {}, value: { structValue: { fields: {} } } },
    {
      json: { a: { b: null } },
      value: { structValue: { fields: { a: { structValue: { fields: { b: { nullValue: 'NULL_VALUE' } } } } } } },
    },
  ])('$json', ({ json, value }) => {
    expect(structOf({ key: json })).toEqual({ fields: { key: value } });
  });
});
