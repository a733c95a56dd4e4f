import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readForeign } from './read-foreign.js';

const Lamp = z.looseObject({
  name: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  modes: z.array(z.looseObject({ on: z.boolean() })).optional(),
  port: z.union([z.number(), z.string()]).optional(),
  strategy: z.literal('deployment').optional(),
});

describe('data of others that is read', () => {
  it('is a value of ours with its unknown fields', () => {
    expect(readForeign(Lamp, { name: 'a', more: 1 })).toEqual({ value: { name: 'a', more: 1 } });
  });

  it.each([
    [{}, 'name is missing'],
    [{ name: 1.5 }, 'name is the number 1.5; a text is expected: quote it'],
    [{ name: true }, 'name is the boolean true; a text is expected: quote it'],
    [{ name: ['a'] }, 'name is a list; a text is expected'],
    [{ name: null }, 'name is empty (null); a text is expected'],
    [{ name: 'a', labels: 'none' }, 'labels is a text; a map is expected'],
    [{ name: 'a', labels: { port: 80 } }, 'labels.port is the number 80; a text is expected: quote it'],
    [{ name: 'a', modes: [{ on: true }, { on: 'yes' }] }, 'modes[1].on is a text; true or false is expected'],
    [{ name: 'a', modes: {} }, 'modes is a map; a list is expected'],
    [{ name: 'a', port: {} }, 'port is a map; a number is expected'],
    [{ name: 'a', strategy: 'job' }, 'strategy: Invalid input: expected "deployment"'],
    ['text', 'the document is a text; a map is expected'],
    [[], 'the document is a list; a map is expected'],
    [undefined, 'the document is missing'],
  ])('%j: %s', (value, problem) => {
    expect(readForeign(Lamp, value)).toEqual({ problem });
  });
});
