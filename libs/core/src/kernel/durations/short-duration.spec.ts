import { expect, it } from 'vitest';
import { shortDuration } from './short-duration.js';

it.each([
  [0, '0s'],
  [-5_000, '0s'],
  [999, '0s'],
  [45_000, '45s'],
  [190_000, '3m10s'],
  [180_000, '3m'],
  [3_600_000, '1h'],
  [3_605_000, '1h'],
  [3_660_000, '1h1m'],
  [187_200_000, '2d4h'],
  [172_800_000 + 59_000, '2d'],
])('%i ms are %s', (ms, text) => {
  expect(shortDuration(ms)).toBe(text);
});
