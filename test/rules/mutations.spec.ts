import { expect, it } from 'vitest';
import { mutationsOf, randomOf } from '../../scripts/tests/mutations.js';

const mutated = (text: string): string[] =>
  mutationsOf(text).map(({ start, end, by }) => text.slice(0, start) + by + text.slice(end));

it.each([
  ['const a = b < 2;', ['const a = (b) <= (2);', 'const a = b < 3;']],
  ['if (a) b();', ['if (!(a)) b();']],
  ['const a = b ? c : d;', ['const a = ((b) ? (d) : (c));']],
  ['const a = b && true;', ['const a = (b) || (true);', 'const a = b && false;']],
  ['type A = 1 | 2;', []],
  ['const a = "1 < 2"; // 1 < 2', []],
])('changes one operator, constant or branch of: %s', (text, all) => expect(mutated(text)).toEqual(all));

it('draws the same numbers for the same seed', () => {
  const [one, other] = [randomOf(7), randomOf(7)];
  expect([one(), one()]).toEqual([other(), other()]);
});
