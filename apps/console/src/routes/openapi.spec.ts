import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { API_ROUTES } from '../console.service.js';
import { API_VERSION, openApiDocument } from './openapi.js';

/** Of each version that was released, and of the next one. */
const KNOWN: Readonly<Record<string, string>> = {
  '1.3.0': '0eb5a5b2c1f571f7',
  '1.4.0': 'a25a0603a941ed90',
  '1.5.0': '4e2c000f88d74dec',
  '1.5.1': '1d37f01e037a2aa3',
  '1.6.0': '477d32a48bc74007',
  '1.7.0': 'dddd5d21b4cba1be',
  '1.8.0': 'e05745c770019c38',
  '1.9.0': 'c5d619ed9075cd00',
};

it('a changed document of the API has a changed version', () => {
  const { info: _, ...document } = openApiDocument(API_ROUTES);
  const digest = createHash('sha256').update(canonicalJson(document)).digest('hex').slice(0, 16);
  expect(KNOWN[API_VERSION], `version ${API_VERSION}: change API_VERSION, and note ${digest} for it`).toBe(digest);
});
