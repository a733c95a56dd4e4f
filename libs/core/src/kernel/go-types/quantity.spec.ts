import { expect, it } from 'vitest';
import { canonicalQuantity, quantityNumber } from './quantity.js';

// What k8s.io/apimachinery's resource.Quantity makes of these texts.
it.each([
  ['100m', '100m'],
  ['1000m', '1'],
  ['0.5', '500m'],
  [2, '2'],
  ['0', '0'],
  ['1.5Gi', '1536Mi'],
  ['1024Ki', '1Mi'],
  ['1000Mi', '1000Mi'],
  ['0.5Ki', '512'],
  ['1000k', '1M'],
  ['1e3', '1e3'],
  ['1500', '1500'],
  ['128974848', '128974848'],
  ['no quantity', 'no quantity'],
  ['', ''],
])('%s is written %s', (written, canonical) => {
  expect(canonicalQuantity(written)).toBe(canonical);
});

it.each([
  ['1.5Ki', 1_536],
  ['128974848', 128_974_848],
  ['500m', 0.5],
  ['-2k', -2_000],
  ['no quantity', undefined],
  ['', undefined],
])('%s counts as %s', (written, counted) => {
  expect(quantityNumber(written)).toBe(counted);
});
