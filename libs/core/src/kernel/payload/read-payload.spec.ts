import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PayloadForm, readPayload } from './read-payload.js';

const Third = z.strictObject({ v: z.literal(3), name: z.string(), hasty: z.boolean() });
const form: PayloadForm<z.infer<typeof Third>> = {
  version: 3,
  schema: Third,
  upgrades: {
    1: ({ thing }) => ({ name: thing }),
    2: (older) => ({ ...older, hasty: false }),
  },
};

describe('reading a payload', () => {
  it('takes one of this release as it is', () => {
    const value = { v: 3, name: 'lamp', hasty: true };
    expect(readPayload(value, form)).toEqual({ kind: 'read', value });
  });

  it.each([
    { v: 1, thing: 'lamp' },
    { v: 2, name: 'lamp' },
  ])('makes one of this release of $v, version by version', (older) => {
    expect(readPayload(older, form)).toEqual({ kind: 'read', value: { v: 3, name: 'lamp', hasty: false } });
  });

  it('reads nothing but the version of a newer one', () => {
    expect(readPayload({ v: 4, name: 7 }, form)).toEqual({ kind: 'newer', version: 4 });
  });

  it.each([
    { data: { v: 1_001, name: 'lamp' }, because: 'a version that no release has' },
    { data: { v: 3.5, name: 'lamp' }, because: 'half a version' },
    { data: { v: '4', name: 'lamp' }, because: 'a version as text' },
    { data: { v: 3, name: 'lamp' }, because: 'a field is missing' },
    { data: { v: 1 }, because: 'an older one that is damaged' },
    { data: [], because: 'a list' },
    { data: null, because: 'nothing' },
  ])('refuses $because', ({ data }) => {
    expect(readPayload(data, form).kind).toBe('invalid');
  });

  it('names a version that is no longer supported', () => {
    const { upgrades: _, ...without } = form;
    const problems = 'version 2 is no longer supported';
    expect(readPayload({ v: 2, name: 'lamp' }, without)).toEqual({ kind: 'invalid', problems });
  });
});
