import { describe, expect, it } from 'vitest';
import { decodeCatalogBlob } from '../read/decode-blob.js';
import { readBlobs } from '../read/read-blobs.js';
import { csvDisplayName, displayName, LightCatalogCollector } from './light-catalog.js';

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
  const light = {
    schema: 'olm.bundle',
    name: 'ant.v1',
    package: 'ant',
    image: 'x',
    properties: [{ type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } }],
    relatedImages: [],
    objects: [],
  };
  const metadata = { type: 'olm.csv.metadata', value: { displayName: 'Ant' } };
  const csv = { kind: 'ClusterServiceVersion', spec: { displayName: 'Ant of the CSV' } };

  it.each([
    {
      properties: `${METADATA},${VERSION}`,
      is: { ...light, properties: [...light.properties, metadata] },
      ofCsv: '',
      name: 'Ant',
      because: 'of the metadata it stays',
    },
    {
      properties: `{"type":"olm.bundle.object","value":{"data":"${CSV}"}},${VERSION}`,
      is: { ...light, objects: [csv] },
      ofCsv: 'Ant of the CSV',
      name: 'Ant of the CSV',
      because: 'of the CSV it stays',
    },
    { properties: VERSION, is: light, ofCsv: '', name: '', because: 'there is none' },
  ])('keeps of a CSV the display name: $because', ({ properties, is, ofCsv, name }) => {
    const bundle = lightBundle(properties);
    expect(bundle).toEqual(is);
    expect(bundle && [csvDisplayName(bundle), displayName(bundle)]).toEqual([ofCsv, name]);
  });
});
