import { describe, expect, it } from 'vitest';
import { builtinMergeSchema } from '../schema/builtin-merge-schema.js';
import { jsonPath } from '../server/json-path.js';
import { jsonPatch } from './json-patch.js';
import { mergePatch } from './merge-patch.js';
import { strategicMerge } from './strategic-merge.js';

describe('merge patch', () => {
  it.each([
    { target: { a: 1, b: 2 }, patch: { a: null }, result: { b: 2 }, because: 'null removes' },
    { target: { a: { b: 1, c: 2 } }, patch: { a: { b: 3 } }, result: { a: { b: 3, c: 2 } }, because: 'objects merge' },
    { target: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] }, because: 'lists are replaced' },
    {
      target: { a: 'x' },
      patch: { a: { b: 1, c: null } },
      result: { a: { b: 1 } },
      because: 'an object replaces a scalar, without nulls',
    },
  ])('$because', ({ target, patch, result }) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe('JSON patch', () => {
  const document = { a: [1, 2], b: { 'x/y': 1, 'p~q': 2 } };
  it.each([
    { patch: [{ op: 'add', path: '/a/-', value: 3 }], result: { ...document, a: [1, 2, 3] }, because: '- appends' },
    { patch: [{ op: 'add', path: '/a/0', value: 0 }], result: { ...document, a: [0, 1, 2] }, because: 'add inserts' },
    { patch: [{ op: 'remove', path: '/a/1' }], result: { ...document, a: [1] }, because: 'remove takes out' },
    {
      patch: [{ op: 'replace', path: '/b/x~1y', value: 9 }],
      result: { ...document, b: { 'x/y': 9, 'p~q': 2 } },
      because: '~1 is a slash',
    },
    { patch: [{ op: 'test', path: '/b/p~0q', value: 2 }], result: document, because: '~0 is a tilde' },
    {
      patch: [{ op: 'move', from: '/b/x~1y', path: '/c' }],
      result: { a: [1, 2], b: { 'p~q': 2 }, c: 1 },
      because: 'move',
    },
    { patch: [{ op: 'copy', from: '/a', path: '/c' }], result: { ...document, c: [1, 2] }, because: 'copy' },
  ])('$because', ({ patch, result }) => {
    expect(jsonPatch(document, patch)).toEqual(result);
  });

  it.each([
    { patch: [{ op: 'remove', path: '/a/7' }], because: 'there is no such item' },
    { patch: [{ op: 'replace', path: '/z', value: 1 }], because: 'there is no such field' },
    { patch: [{ op: 'add', path: '/z/y', value: 1 }], because: 'the parent is missing' },
    { patch: [{ op: 'test', path: '/a', value: [1] }], because: 'the test fails' },
  ])('is refused with 422: $because', ({ patch }) => {
    expect(() => jsonPatch(document, patch)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 422 }) }),
    );
  });

  it.each([{}, [{ op: 'paint', path: '/a' }], [1], 'text'])('%j is no patch at all', (patch) => {
    expect(() => jsonPatch(document, patch)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 400 }) }),
    );
  });
});

describe('strategic merge patch', () => {
  const schema = builtinMergeSchema('deployments.apps');
  const live = {
    spec: {
      selector: { matchLabels: { a: '1' } },
      containers: [
        { name: 'a', image: 'x', env: [{ name: 'E', value: '1' }] },
        { name: 'b', image: 'y' },
      ],
      tolerations: [{ key: 'k' }],
    },
  };
  it.each([
    {
      because: 'containers merge by name, in place; new ones come last',
      patch: {
        spec: {
          containers: [
            { name: 'b', image: 'z' },
            { name: 'c', image: 'w' },
          ],
        },
      },
      containers: [live.spec.containers[0], { name: 'b', image: 'z' }, { name: 'c', image: 'w' }],
    },
    {
      because: 'an item is deleted by its key',
      patch: { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
      containers: [{ name: 'b', image: 'y' }],
    },
    {
      because: 'env merges by name inside a container',
      patch: { spec: { containers: [{ name: 'a', env: [{ name: 'F', value: '2' }] }] } },
      containers: [
        {
          name: 'a',
          image: 'x',
          env: [
            { name: 'E', value: '1' },
            { name: 'F', value: '2' },
          ],
        },
        { name: 'b', image: 'y' },
      ],
    },
    {
      because: 'a list may be replaced on demand',
      patch: { spec: { containers: [{ $patch: 'replace' }, { name: 'n', image: 'i' }] } },
      containers: [{ name: 'n', image: 'i' }],
    },
  ])('$because', ({ patch, containers }) => {
    expect(strategicMerge(live, patch, schema)).toMatchObject({ spec: { containers } });
  });

  it('lists without a key are replaced', () => {
    const patched = strategicMerge(live, { spec: { tolerations: [{ key: 'n' }] } }, schema);
    expect(patched).toMatchObject({ spec: { tolerations: [{ key: 'n' }] } });
  });

  it('the patched object is left alone', () => {
    const before = structuredClone(live);
    strategicMerge(live, { spec: { containers: [{ name: 'a', image: 'q' }] } }, schema);
    expect(live).toEqual(before);
  });
});

describe('JSON path of printer columns', () => {
  const value = {
    a: {
      'b.c': 'x',
      l: [
        { type: 'R', status: 'True' },
        { type: 'S', status: 'False' },
      ],
    },
  };
  it.each([
    { path: '.a.l[1].type', found: ['S'] },
    { path: '.a.l[?(@.type=="R")].status', found: ['True'] },
    { path: '.a.l[*].type', found: ['R', 'S'] },
    { path: ".a['b.c']", found: ['x'] },
    { path: '.a.b\\.c', found: ['x'] },
    { path: '.a.none.deeper', found: [] },
  ])('$path', ({ path, found }) => {
    expect(jsonPath(path, value)).toEqual(found);
  });
});
