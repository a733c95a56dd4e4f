import { expect, it } from 'vitest';
import type { CatalogBundle } from '../model/catalog.js';
import { bundleFindings } from './strict-bundle.js';

const bundle = (over: Partial<CatalogBundle>): CatalogBundle => ({
  ...{ schema: 'olm.bundle', name: 'ant.v1.0.0', package: 'ant', image: '', properties: [], relatedImages: [] },
  objects: [],
  ...over,
});
const said = (over: Partial<CatalogBundle>) => bundleFindings(bundle(over)).map(({ message }) => message);
const object = (metadata: unknown) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

it.each([
  [{ name: 'a'.repeat(64) }, ['the name has 64 characters: OLM writes it into labels of at most 63']],
  [{ name: 'a'.repeat(63) }, []],
  [
    { objects: [object({ name: 'a' }), object({ name: 'a', labels: 'none' })] },
    ['no cluster accepts it: object 2 (ConfigMap a): metadata.labels is a text; a map is expected'],
  ],
  [
    { objects: [object({ name: 'Bad_Name' })] },
    [
      'no cluster accepts it: object 1 (ConfigMap): metadata.name "Bad_Name" is not a DNS name: at most 253 lower-case letters, digits, "-" and "."',
    ],
  ],
  [{ image: 'registry.example/ant:1', objects: [object({ name: 'Bad_Name' })] }, []],
  [{ objects: [object({ name: 'a', labels: null })] }, []],
])('%#', (over, messages) => {
  expect(said(over)).toEqual(messages);
});
