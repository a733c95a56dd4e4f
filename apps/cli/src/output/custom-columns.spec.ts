import { describe, expect, it } from 'vitest';
import { tableText } from '../commands/objects/print-objects.js';
import { customColumns } from './custom-columns.js';

const OBJECT = {
  metadata: { name: 'harbor', labels: { 'app.example.com/team': 'sea' } },
  spec: { replicas: 2, names: ['a', 'b'], nothing: null },
  status: { phase: 'Succeeded', text: 'one\ntwo' },
};

describe('-o custom-columns', () => {
  it.each([
    ['NAME:.metadata.name,PHASE:.status.phase', 'NAME    PHASE\nharbor  Succeeded\n'],
    ['NAME:metadata.name', 'NAME\nharbor\n'],
    ['N:{.spec.replicas}, M:.spec.missing', 'N  M\n2  <none>\n'],
    ['ALL:.spec.names[*]', 'ALL\na,b\n'],
    ["TEAM:.metadata.labels['app.example.com/team']", 'TEAM\nsea\n'],
    ['TEXT:.status.text', 'TEXT\none two\n'],
    ['NULL:.spec.nothing', 'NULL\nnull\n'],
  ])('%s', (spec, expected) => {
    expect(tableText([OBJECT], customColumns(spec), true)).toBe(expected);
  });

  it.each(['', 'NAME', 'NAME:', ':.metadata.name', 'NAME:.metadata.name,', 'N:.items[?(a==1)].b', 'a:b,'.repeat(65)])(
    'refuses %j with the form that works',
    (spec) => {
      expect(() => customColumns(spec)).toThrow(/cannot read the (columns|JSONPath)/);
    },
  );
});
