import { describe, expect, it } from 'vitest';
import type { CatalogBundle, ChannelEntry, Property } from '#core/catalog/model/catalog';
import { deprecationOf, listedBundle, type ServedEntry, singleBundle } from './grpc-bundle-message.js';

const IMAGE = 'registry.test/ant:v1';
const CSV = { kind: 'ClusterServiceVersion', metadata: { name: 'ant.v1' } };
const CRD = { kind: 'CustomResourceDefinition', metadata: { name: 'ants.test' } };
const property = (type: string, value: unknown): Property => ({ type, value });

type Parts = Readonly<{ bundle?: Partial<CatalogBundle>; entry?: Partial<ChannelEntry>; deprecation?: string }>;
const served = ({ bundle = {}, entry = {}, deprecation }: Parts = {}): ServedEntry => ({
  pkg: { schema: 'olm.package', name: 'ant', defaultChannel: 'stable', description: 'of the package' },
  channel: 'stable',
  entry: { name: 'ant.v1', ...entry },
  bundle: {
    schema: 'olm.bundle',
    name: 'ant.v1',
    package: 'ant',
    image: IMAGE,
    properties: [],
    relatedImages: [],
    objects: [],
    ...bundle,
  },
  ...(deprecation === undefined ? {} : { deprecation }),
});

describe('a bundle as message api.Bundle (spec: file-based-catalogs.md §8)', () => {
  it('has every field, empty where the catalog says nothing', () => {
    expect(listedBundle(served())).toEqual({
      csvName: 'ant.v1',
      packageName: 'ant',
      channelName: 'stable',
      csvJson: '',
      object: [],
      bundlePath: IMAGE,
      providedApis: [],
      requiredApis: [],
      version: '',
      skipRange: '',
      dependencies: [],
      properties: [],
      replaces: '',
      skips: [],
      deprecation: null,
    });
  });

  it('has the version of property olm.package', () => {
    const properties = [property('olm.package', { packageName: 'ant', version: '1.2.3' })];
    expect(listedBundle(served({ bundle: { properties } })).version).toBe('1.2.3');
  });

  it('has APIs with an empty plural', () => {
    const properties = [
      property('olm.gvk', { group: 'g', version: 'v1', kind: 'K', plural: 'ks' }),
      property('olm.gvk.required', { group: 'r', version: 'v2', kind: 'R' }),
      property('olm.gvk', { kind: 'Half' }),
    ];
    const { providedApis, requiredApis } = listedBundle(served({ bundle: { properties } }));
    expect(providedApis).toEqual([
      { group: 'g', version: 'v1', kind: 'K', plural: '' },
      { group: '', version: '', kind: 'Half', plural: '' },
    ]);
    expect(requiredApis).toEqual([{ group: 'r', version: 'v2', kind: 'R', plural: '' }]);
  });

  it.each([
    {
      because: 'a required API',
      given: property('olm.gvk.required', { group: 'r', version: 'v2', kind: 'R' }),
      dependencies: [{ type: 'olm.gvk', value: '{"group":"r","version":"v2","kind":"R"}' }],
    },
    {
      because: 'a required package',
      given: property('olm.package.required', { packageName: 'bee', versionRange: '>=1.0.0' }),
      dependencies: [{ type: 'olm.package', value: '{"packageName":"bee","version":">=1.0.0"}' }],
    },
    { because: 'no constraint', given: property('olm.constraint', { all: {} }), dependencies: [] },
    { because: 'no provided API', given: property('olm.gvk', { kind: 'K' }), dependencies: [] },
  ])('has dependencies: $because', ({ given, dependencies }) => {
    expect(listedBundle(served({ bundle: { properties: [given] } })).dependencies).toEqual(dependencies);
  });

  it('has all properties but manifests and what a catalog shows of them', () => {
    const properties = [
      property('olm.package', { packageName: 'ant', version: '1.0.0' }),
      property('olm.bundle.object', { data: 'e30=' }),
      property('olm.csv.metadata', { displayName: 'Ant' }),
      property('my.own', [1, 'two', null]),
    ];
    expect(listedBundle(served({ bundle: { properties } })).properties).toEqual([
      { type: 'olm.package', value: '{"packageName":"ant","version":"1.0.0"}' },
      { type: 'my.own', value: '[1,"two",null]' },
    ]);
  });

  it('has the deprecation of the bundle', () => {
    expect(listedBundle(served({ deprecation: 'use bee' })).deprecation).toEqual({ message: 'use bee' });
    expect([deprecationOf(undefined), deprecationOf('')]).toEqual([null, { message: '' }]);
  });
});

describe('edges and manifests', () => {
  const entry = { replaces: 'ant.v0', skips: ['ant.v0.1'], skipRange: '<1.0.0' };
  const objects = [CRD, CSV];
  const edges = { replaces: 'ant.v0', skips: ['ant.v0.1'], skipRange: '<1.0.0' };
  const noEdges = { replaces: '', skips: [], skipRange: '<1.0.0' };
  const manifests = { csvJson: JSON.stringify(CSV), object: [JSON.stringify(CRD), JSON.stringify(CSV)] };
  const none = { csvJson: '', object: [] };
  it.each([
    { because: 'a list with images', message: listedBundle, image: IMAGE, fields: { ...edges, ...none } },
    { because: 'a list without images', message: listedBundle, image: '', fields: { ...edges, ...manifests } },
    { because: 'one bundle with an image', message: singleBundle, image: IMAGE, fields: { ...noEdges, ...manifests } },
    { because: 'one bundle without an image', message: singleBundle, image: '', fields: { ...noEdges, ...manifests } },
  ])('of $because', ({ message, image, fields }) => {
    expect(message(served({ entry, bundle: { image, objects } }))).toMatchObject({ ...fields, bundlePath: image });
  });

  it('of a bundle without a ClusterServiceVersion are its objects', () => {
    expect(singleBundle(served({ bundle: { objects: [CRD] } }))).toMatchObject({
      csvJson: '',
      object: [JSON.stringify(CRD)],
    });
  });
});

describe('the ClusterServiceVersion made of olm.csv.metadata', () => {
  const metadata = {
    displayName: 'Ant',
    keywords: ['a'],
    maturity: 'alpha',
    provider: { name: 'p' },
    annotations: { x: 'y' },
  };
  const stubOf = (parts: Parts, more: object = {}) => {
    const properties = [
      property('olm.package', { packageName: 'ant', version: '1.0.0' }),
      property('olm.csv.metadata', { ...metadata, ...more }),
    ];
    const { csvJson, object } = singleBundle(served({ ...parts, bundle: { properties, ...parts.bundle } }));
    expect(object).toEqual([csvJson]);
    return JSON.parse(csvJson);
  };

  it('stands in where the bundle has no manifests', () => {
    expect(stubOf({})).toMatchObject({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: 'ant.v1', annotations: { x: 'y' } },
      spec: {
        version: '1.0.0',
        displayName: 'Ant',
        keywords: ['a'],
        maturity: 'alpha',
        provider: { name: 'p' },
        install: { strategy: 'deployment', spec: { deployments: null } },
      },
    });
  });

  it('has the name of the bundle, and its related images', () => {
    const relatedImages = [{ name: 'op', image: 'registry.test/op' }];
    const stub = stubOf({ entry: { name: 'ant.v2' }, bundle: { relatedImages } });
    expect(stub).toMatchObject({ metadata: { name: 'ant.v2' }, spec: { relatedImages } });
  });

  it.each([
    { because: 'its own', more: { description: 'of the bundle' }, description: 'of the bundle' },
    { because: 'else that of the package', more: {}, description: 'of the package' },
    { because: 'also where its own is empty', more: { description: '' }, description: 'of the package' },
  ])('has a description: $because', ({ more, description }) => {
    expect(stubOf({}, more).spec.description).toBe(description);
  });

  it('has the icon of the package', () => {
    const one = served({ bundle: { properties: [property('olm.csv.metadata', metadata)] } });
    const icon = { base64data: 'aWNvbg==', mediatype: 'image/svg+xml' };
    const { csvJson } = singleBundle({ ...one, pkg: { ...one.pkg, icon } });
    expect(JSON.parse(csvJson).spec.icon).toEqual([icon]);
  });

  it('is not made where the bundle has a ClusterServiceVersion', () => {
    const properties = [property('olm.csv.metadata', metadata)];
    expect(singleBundle(served({ bundle: { properties, objects: [CSV] } })).csvJson).toBe(JSON.stringify(CSV));
  });
});
