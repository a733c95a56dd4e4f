import { expect, it } from 'vitest';
import { KnownPaths } from './known-paths.js';

type Path = Parameters<KnownPaths['keep']>[2];
const pathTo = (to: string): Path => ({ hops: [{ plan: {} as never, moves: [], from: undefined, to }] });

it('has a path for the answer that it was made from alone', () => {
  const paths = new KnownPaths();
  paths.keep('a', 'one answer', pathTo('kafka.v1'));
  expect(paths.find('a', 'one answer')).toEqual(pathTo('kafka.v1'));
  expect(paths.find('a', 'another answer')).toBeUndefined();
  paths.keep('a', 'another answer', pathTo('kafka.v2'));
  expect(paths.find('a', 'another answer')).toEqual(pathTo('kafka.v2'));
  expect(paths.find('b', 'one answer')).toBeUndefined();
});

it('forgets those that were not used for longest where they become large', () => {
  const paths = new KnownPaths();
  const large = 'x'.repeat(6 * 2 ** 20);
  for (const hash of ['a', 'b']) paths.keep(hash, large, pathTo(hash));
  expect(paths.find('a', large)).toBeDefined();
  paths.keep('c', large, pathTo('c'));
  expect(['a', 'b', 'c'].filter((hash) => paths.find(hash, large) !== undefined)).toEqual(['a', 'c']);
  paths.keep('d', 'x'.repeat(20 * 2 ** 20), pathTo('d'));
  expect(paths.find('a', large)).toBeDefined();
});
