import { expect, it } from 'vitest';
import { plainResolution } from './plain-resolution.js';

const of = (constraint: string) => `constraints not satisfiable: ${constraint}, subscription bolt exists`;
const FOUND = 'in the catalog referenced by subscription bolt';

it.each([
  [
    'no operators found from catalog gone in namespace olm referenced by subscription bolt',
    'catalog olm/gone of Subscription bolt is empty or does not exist.',
  ],
  [`no operators found in package ghost ${FOUND}`, 'the catalog of Subscription bolt has no package ghost.'],
  [
    `no operators found in channel stabel of package bolt ${FOUND}`,
    'package bolt has no channel stabel in the catalog of Subscription bolt.',
  ],
  [
    `no operators found with name bolt.v9 in channel stable of package bolt ${FOUND}`,
    'channel stable of package bolt has no bundle bolt.v9, which Subscription bolt requests.',
  ],
])('says in plain words: %s', (constraint, words) => {
  expect(plainResolution(of(constraint))).toBe(words);
  expect(plainResolution(constraint)).toBe(words);
  expect(plainResolution(`constraints not satisfiable: subscription bolt exists, ${constraint}`)).toBe(words);
});

it.each(['bolt.v1 and nut.v1 provide Lamp (lamps/v1)', '', 'no operators found', 'x'.repeat(20_000)])(
  'leaves other messages as they are: %#',
  (message) => expect(plainResolution(message)).toBeUndefined(),
);
