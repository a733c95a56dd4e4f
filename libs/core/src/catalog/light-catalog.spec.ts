import { describe, expect, it } from 'vitest';
import { decodeCatalogBlob } from './decode-blob.js';
import { LightCatalogCollector } from './light-catalog.js';
import { readBlobs } from './read-blobs.js';

const CSV = btoa('{"kind":"ClusterServiceVersion","spec":{"displayName":"Ant of the CSV"}}');

/** The light form of one bundle with these properties. */
function lightBundle(properties: string) {
  const text = `{"schema":"olm.bundle","name":"ant.v1","package":"ant","image":"x","properties":[${properties}],"relatedImages":[{"name":"a","image":"b"}]}`;
  const light = new LightCatalogCollector();
  const files = [{ path: 'a.json', chunks: () => [new TextEncoder().encode(text)] }];
  for (const blob of readBlobs(files)) light.take(decodeCatalogBlob(blob));
  return light.catalog.bundles[0];
}

const VERSION = '{"type":"olm.package","value":{"packageName":"ant","version":"1.0.0"}}';
const METADATA = '{"type":"olm.csv.metadata","value":{"displayName":"Ant","description":"a long text"}}';

describe('a catalog without its texts', () => {
  it.each([
    { properties: `${METADATA},${VERSION}`, name: 'Ant', because: 'of the metadata it stays' },
    {
      properties: `{"type":"olm.bundle.object","value":{"data":"${CSV}"}},${VERSION}`,
      name: 'Ant of the CSV',
      because: 'it is taken out of the CSV',
    },
    { properties: VERSION, name: '', because: 'there is none' },
  ])('keeps of a CSV the display name: $because', ({ properties, name }) => {
    expect(lightBundle(properties)).toEqual({
      schema: 'olm.bundle',
      name: 'ant.v1',
      package: 'ant',
      image: 'x',
      properties: [
        { type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } },
        { type: 'olm.csv.metadata', value: { displayName: name } },
      ],
      relatedImages: [],
      objects: [],
    });
  });
});
