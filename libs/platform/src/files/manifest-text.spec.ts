import { describe, expect, it } from 'vitest';
import { ManifestError, parseManifests } from './manifest-text.js';

const object = (name: string, more = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;
const dataOf = (text: string) => parseManifests('f.yaml', text).map(({ object }) => object['data']);

describe('the manifests of a file', () => {
  it('are its documents, each with the line of its first content', () => {
    const text = `# a\n\n${object('a')}---\n# b\n${object('b')}---\n---\n${object('c')}`;
    expect(parseManifests('f.yaml', text).map(({ object, where }) => [object.metadata.name, where])).toEqual([
      ['a', 'f.yaml:3'],
      ['b', 'f.yaml:8'],
      ['c', 'f.yaml:13'],
    ]);
  });

  it.each([
    { as: 'merge keys', data: 'x: &x {a: "1"}\ndata: {<<: *x, b: "2"}', read: { a: '1', b: '2' } },
    { as: 'booleans of YAML 1.1', data: 'data: {a: yes, b: off}', read: { a: true, b: false } },
    { as: 'octal numbers of YAML 1.1', data: 'data: {mode: 0644}', read: { mode: 420 } },
    { as: 'dates as text', data: 'data: {since: 2026-11-29}', read: { since: '2026-11-29' } },
    { as: 'tagged text', data: 'data: {a: !!str 1}', read: { a: '1' } },
  ])('are read as kubectl reads them: $as', ({ data, read }) => {
    expect(dataOf(object('a', data))).toEqual([read]);
  });

  it('may be JSON, one object after the other, and items of a List', () => {
    const one = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const list = { apiVersion: 'v1', kind: 'List', items: [one('a'), one('b')] };
    const read = parseManifests('f.json', `${JSON.stringify(list)}\n${JSON.stringify(one('c'))}`);
    expect(read.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { text: 'a: [b\n', says: /^f\.yaml:\d+: not YAML: .+; correct this place$/ },
    { text: object('a', 'data: {}\ndata: {}\n'), says: /^f\.yaml:5: not YAML: .*already set/ },
    { text: `${object('a')}---\nkind: Gear\n`, says: /^f\.yaml:5: not a Kubernetes object: .*give it apiVersion/ },
    { text: `a: ${'['.repeat(500)}`, says: /^f\.yaml:1: not YAML: nesting exceeds 200 levels/ },
  ])('are refused with their place: $text', ({ text, says }) => {
    expect(() => parseManifests('f.yaml', text)).toThrow(ManifestError);
    expect(() => parseManifests('f.yaml', text)).toThrow(says);
  });
});
