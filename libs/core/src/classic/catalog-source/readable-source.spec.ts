import { describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API, type CatalogSource } from '../../kernel/api/catalog-source.js';
import { originOf, pollSchedule } from './catalog-source-spec.js';
import { catalogSourceStatus } from './catalog-source-status.js';
import { readableSource } from './readable-source.js';

const of = (spec: unknown) =>
  ({ ...CATALOG_SOURCE_API, metadata: { name: 'shop', namespace: 'olm' }, spec }) as CatalogSource;

describe('a CatalogSource that only a foreign definition lets through', () => {
  it.each([
    { spec: undefined, says: 'unknown sourcetype: ' },
    { spec: null, says: 'unknown sourcetype: ' },
    { spec: {}, says: 'unknown sourcetype: ' },
    { spec: 'text', says: 'spec is a text; a map is expected' },
    { spec: ['grpc'], says: 'spec is a list; a map is expected' },
    { spec: { sourceType: 7 }, says: 'spec.sourceType is the number 7; a text is expected: quote it' },
    {
      spec: { sourceType: 'grpc', image: false },
      says: 'spec.image is the boolean false; a text is expected: quote it',
    },
    {
      spec: { sourceType: 'grpc', image: 'a/b', priority: 'high' },
      says: expect.stringMatching(/^spec\.priority is /),
    },
    { spec: { sourceType: 'grpc', image: 'a/b', secrets: 'one' }, says: expect.stringMatching(/^spec\.secrets is /) },
    {
      spec: { sourceType: 'grpc', image: 'a/b', updateStrategy: 'x' },
      says: expect.stringMatching(/^spec\.updateStrategy is /),
    },
  ])('is invalid, by OLM’s reason and with the field: $spec', ({ spec, says }) => {
    const source = readableSource(of(spec));
    expect(originOf(source)).toEqual({ kind: 'invalid', message: says });
    expect(source.spec).toMatchObject({ sourceType: '' });
    const status = catalogSourceStatus(source, {}, { contentUrl: '', strict: false }, '2026-01-01T00:00:00Z');
    expect(status).toEqual({ reason: 'SpecInvalidError', message: says });
  });

  it.each([
    { registryPoll: 'x', polls: undefined },
    { registryPoll: null, polls: undefined },
    {
      registryPoll: { interval: 5 },
      polls: { everyMs: 900_000, problem: expect.stringMatching(/invalid duration 5$/) },
    },
    { registryPoll: {}, polls: { everyMs: 900_000, problem: expect.stringMatching(/invalid duration ""$/) } },
  ])('polls as by its definition, whatever the field holds: $registryPoll', ({ registryPoll, polls }) => {
    const spec = { sourceType: 'grpc', image: 'a/b', updateStrategy: { registryPoll } };
    expect(pollSchedule(readableSource(of(spec)))).toEqual(polls);
  });

  it('is left as it is if its spec can be read', () => {
    const source = of({ sourceType: 'grpc', image: 'a/b', others: { stay: true } });
    expect(readableSource(source)).toBe(source);
  });
});
