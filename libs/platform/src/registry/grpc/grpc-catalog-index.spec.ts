import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { GrpcCatalogIndex } from './grpc-catalog-index.js';

const blobs = [
  { schema: 'olm.package', name: 'ant', defaultChannel: 'stable' },
  { schema: 'olm.channel', name: 'stable', package: 'ant', entries: [{ name: 'ant.v1' }] },
  {
    schema: 'olm.bundle',
    name: 'ant.v1',
    package: 'ant',
    image: 'registry.example/ant:v1',
    properties: [{ type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } }],
  },
];
const bytes = new TextEncoder().encode(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
const index = new GrpcCatalogIndex(loadCatalog([{ path: 'catalog.json', bytes }]));

describe('what is not in the catalog is reported as opm reports it', () => {
  it.each([
    {
      ask: () => index.entriesThatProvide({ group: '', version: '', kind: '' }),
      says: 'no channel entries found that provide group:"" version:"" kind:""',
      because: 'every field of the API, empty ones too',
    },
    {
      ask: () => index.latestEntriesThatProvide({ group: 'g', version: '', kind: 'K"' }),
      says: 'no channel entries found that provide group:"g" version:"" kind:"K\\""',
      because: 'quoted as in Go',
    },
    { ask: () => index.package('a\nb'), says: 'package "a\\nb" not found', because: 'on one line, whatever the name' },
  ])('$because', ({ ask, says }) => {
    expect(ask).toThrow(says);
  });
});
