import { describe, expect, it } from 'vitest';
import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { labelSelectorOf } from './label-selector-text.js';
import { channelsOf, headOf, packageContent } from './package-content.js';
import { packageIcon, shownManifest } from './package-icon.js';
import { packageManifest } from './package-manifest.js';
import { packageManifestQuestion } from './package-manifest-route.js';

const source: CatalogSource = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: {
    name: 'shelf',
    namespace: 'olm',
    labels: { team: 'a', provider: 'hidden' },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { sourceType: 'grpc', displayName: 'The Shelf', publisher: 'Us' },
};
const entry = (channel: string, name: string, more: Partial<EntryRecord> = {}): EntryRecord => ({
  name,
  channel,
  version: name.split('.v')[1] ?? '',
  replaces: '',
  skips: [],
  skipRange: '',
  properties: [],
  source: { image: `registry.example/${name}` },
  ...more,
});
const record = (more: Partial<PackageRecord> = {}): PackageRecord => ({
  name: 'lamp',
  defaultChannel: 'stable',
  entries: [
    entry('stable', 'lamp.v1.0.0'),
    entry('stable', 'lamp.v1.2.0', { replaces: 'lamp.v1.1.0', deprecation: 'too bright' }),
    entry('stable', 'lamp.v1.1.0', { replaces: 'lamp.v1.0.0' }),
    entry('alpha', 'lamp.v1.10.0'),
  ],
  ...more,
});
const csv = (name: string, spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  metadata: { name, ...metadata },
  spec: { version: name.split('.v')[1], ...spec },
});
const heads = (stable: unknown, alpha: unknown) =>
  new Map([
    ['stable', stable],
    ['alpha', alpha],
  ]);
const made = (of: PackageRecord, from: ReadonlyMap<string, unknown>) =>
  packageManifest(packageContent(of, from), source);

describe('a PackageManifest', () => {
  const full = csv(
    'lamp.v1.2.0',
    {
      displayName: 'Lamp',
      description: 'Light.',
      icon: [{ base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' }],
      provider: { name: 'Lights', url: 'https://example.com' },
      keywords: ['light'],
      links: [],
      maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
      installModes: [{ type: 'AllNamespaces', supported: true }, { type: 'OwnNamespace' }],
      customresourcedefinitions: { owned: [{ name: 'lamps.x', version: 'v1', kind: 'Lamp', specDescriptors: [{}] }] },
      nativeAPIs: [{ group: '', version: 'v1', kind: 'Pod' }],
      minKubeVersion: '1.20.0',
      install: {
        spec: { deployments: [{ spec: { template: { spec: { containers: [{ image: 'r/b' }, { image: 'r/a' }] } } } }] },
      },
      relatedImages: [
        { name: 'x', image: 'r/c' },
        { name: 'y', image: 'r/a' },
      ],
    },
    { labels: { 'operatorframework.io/arch.arm64': 'supported' }, annotations: { categories: 'Home' } },
  );

  it('shows the package with its channels sorted, their entries newest first', () => {
    const manifest = made(
      record({ deprecation: 'gone soon', channelDeprecations: { alpha: 'unsafe' } }),
      heads(full, csv('lamp.v1.10.0')),
    );
    expect(manifest).toMatchObject({
      metadata: { name: 'lamp', namespace: 'olm', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {},
    });
    expect(manifest?.metadata.labels).toEqual({
      team: 'a',
      catalog: 'shelf',
      'catalog-namespace': 'olm',
      provider: 'Lights',
      'provider-url': 'https://example.com',
      'operatorframework.io/arch.arm64': 'supported',
      'operatorframework.io/os.linux': 'supported',
    });
    expect(manifest?.status).toMatchObject({
      catalogSource: 'shelf',
      catalogSourceDisplayName: 'The Shelf',
      catalogSourcePublisher: 'Us',
      catalogSourceNamespace: 'olm',
      packageName: 'lamp',
      defaultChannel: 'stable',
      provider: { name: 'Lights', url: 'https://example.com' },
      deprecation: { message: 'gone soon' },
    });
    expect(
      manifest?.status.channels.map(({ name, currentCSV, deprecation, entries }) => ({
        name,
        currentCSV,
        deprecation,
        entries,
      })),
    ).toEqual([
      {
        name: 'alpha',
        currentCSV: 'lamp.v1.10.0',
        deprecation: { message: 'unsafe' },
        entries: [{ name: 'lamp.v1.10.0', version: '1.10.0' }],
      },
      {
        name: 'stable',
        currentCSV: 'lamp.v1.2.0',
        entries: [
          { name: 'lamp.v1.2.0', version: '1.2.0', deprecation: { message: 'too bright' } },
          { name: 'lamp.v1.1.0', version: '1.1.0' },
          { name: 'lamp.v1.0.0', version: '1.0.0' },
        ],
      },
    ]);
  });

  it('describes the CSV as the package server does: descriptors left out, empty lists gone, images of all kinds', () => {
    const manifest = made(record(), heads(full, undefined));
    expect(manifest?.status.channels[0]?.currentCSVDesc).toEqual({
      displayName: 'Lamp',
      icon: [{ base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' }],
      version: '1.2.0',
      provider: { name: 'Lights', url: 'https://example.com' },
      annotations: { categories: 'Home' },
      keywords: ['light'],
      maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
      description: 'Light.',
      installModes: [
        { type: 'AllNamespaces', supported: true },
        { type: 'OwnNamespace', supported: false },
      ],
      customresourcedefinitions: { owned: [{ name: 'lamps.x', version: 'v1', kind: 'Lamp' }] },
      apiservicedefinitions: {},
      nativeApis: [{ group: '', version: 'v1', kind: 'Pod' }],
      minKubeVersion: '1.20.0',
      relatedImages: ['r/a', 'r/b', 'r/c'],
    });
  });

  it.each([
    {
      because: 'the default channel can be shown',
      from: heads(csv('s.v1.0.0'), csv('a.v1.0.0')),
      channel: 'stable',
      shown: 2,
    },
    {
      because: 'its head cannot be had: the first of the others',
      from: heads(undefined, csv('a.v1.0.0')),
      channel: 'alpha',
      shown: 1,
    },
    {
      because: 'its CSV has a version that is none',
      from: heads(csv('s.v1', { version: 'x' }), csv('a.v1.0.0')),
      channel: 'alpha',
      shown: 1,
    },
    { because: 'another one cannot be had', from: heads(csv('s.v1.0.0'), undefined), channel: 'stable', shown: 1 },
  ])('default channel $channel: $because', ({ from, channel, shown }) => {
    const status = made(record(), from)?.status;
    expect([status?.defaultChannel, status?.channels.length]).toEqual([channel, shown]);
  });

  it('is none where no channel can be shown', () => {
    expect(made(record(), heads(undefined, undefined))).toBeUndefined();
  });

  it('takes the provider of the first channel where the default one is unknown, and repeats what the catalog says', () => {
    const status = made(
      record({ defaultChannel: 'none' }),
      heads(full, csv('a.v1.0.0', { provider: { name: 'First' } })),
    )?.status;
    expect([status?.provider, status?.defaultChannel]).toEqual([{ name: 'First' }, 'none']);
  });

  it('leaves bundles marked olm.deprecated out of the entries, and says 0.0.0 for a CSV without version', () => {
    const entries = [entry('stable', 'lamp.v1.0.0', { properties: [{ type: 'olm.deprecated', value: {} }] })];
    const channel = made(record({ entries }), new Map([['stable', { metadata: { name: 'x' }, spec: {} }]]))?.status
      .channels[0];
    expect([channel?.entries, channel?.currentCSVDesc['version']]).toEqual([[], '0.0.0']);
  });

  it('finds the head of a channel whatever the order of its entries', () => {
    const stable = channelsOf(record()).get('stable') ?? [];
    expect(headOf(stable)?.name).toBe('lamp.v1.2.0');
    expect(headOf(stable.toReversed())?.name).toBe('lamp.v1.2.0');
  });

  it('is seen from a namespace as its own, and without icons; the icon has its own answer', () => {
    const manifest = made(record(), heads(full, undefined));
    if (manifest === undefined) throw new Error('no manifest');
    const seen = shownManifest(manifest, 'team-a');
    expect(seen.metadata.namespace).toBe('team-a');
    expect(seen.status.channels[0]?.currentCSVDesc).not.toHaveProperty('icon');
    expect(shownManifest(manifest, undefined).metadata.namespace).toBe('olm');
    const icon = packageIcon(manifest);
    expect([Buffer.from(icon.bytes).toString(), icon.mediaType, icon.etag]).toEqual([
      '<svg/>',
      'image/svg+xml',
      '"lamp.stable.lamp.v1.2.0"',
    ]);
  });

  it('without an icon gets a plain one, without Etag', () => {
    const manifest = made(record(), heads(csv('s.v1.0.0'), undefined));
    if (manifest === undefined) throw new Error('no manifest');
    expect(packageIcon(manifest)).toMatchObject({ mediaType: 'image/svg+xml', etag: '' });
  });
});

describe('requests', () => {
  const BASE = '/clusters/east/apis/packages.operators.coreos.com/v1';
  it.each([
    { target: `${BASE}/packagemanifests`, is: { ask: 'list', namespace: undefined } },
    { target: `${BASE}/namespaces/a/packagemanifests?limit=500`, is: { ask: 'list', namespace: 'a', name: undefined } },
    {
      target: `${BASE}/namespaces/a/packagemanifests?fieldSelector=metadata.name%3Dlamp`,
      is: { ask: 'list', name: 'lamp' },
    },
    { target: `${BASE}/namespaces/a/packagemanifests/lamp`, is: { ask: 'get', name: 'lamp', cluster: 'east' } },
    { target: `${BASE}/namespaces/a/packagemanifests/lamp/icon`, is: { ask: 'icon', unchanged: false } },
    {
      target: `${BASE}/namespaces/a/packagemanifests/lamp/icon?resourceVersion=1`,
      etag: '"x"',
      is: { unchanged: true },
    },
    { target: `${BASE}/namespaces/a/packagemanifests/lamp/icon`, etag: '"x"', is: { unchanged: false } },
    { target: `${BASE}/packagemanifests/lamp`, is: { code: 404 } },
    { target: `${BASE}/namespaces/a/packagemanifests/lamp/status`, is: { code: 404 } },
    { target: `${BASE}/namespaces/a/subscriptions`, is: { code: 404 } },
    { target: `${BASE}/namespaces/a/packagemanifests?watch=true`, is: { code: 400 } },
    {
      target: `${BASE}/packagemanifests?fieldSelector=status.phase%3Dx`,
      is: { code: 400, message: 'field label not supported: status.phase' },
    },
    { target: `${BASE}/packagemanifests?labelSelector=a%3D%3D%3Db`, is: { code: 400 } },
    { target: `${BASE}/namespaces/a/packagemanifests`, method: 'DELETE', is: { code: 405 } },
    { target: '/clusters/east/catalogs/shop/api/v1/all', is: undefined },
    { target: '/clusters/%zz/apis/packages.operators.coreos.com/v1/packagemanifests', is: undefined },
  ])('$target: $is', ({ target, method = 'GET', etag, is }) => {
    const question = packageManifestQuestion(method, target, etag);
    if (is === undefined) expect(question).toBeUndefined();
    else expect(question).toMatchObject(is);
  });

  it.each([
    ['', true],
    ['catalog=shelf', true],
    ['catalog==shelf,provider', true],
    ['catalog!=shelf', false],
    ['catalog in (a, shelf)', true],
    ['catalog notin (a,shelf),provider', false],
    ['!missing', true],
    ['missing', false],
    ['constructor', false],
    ['empty=', true],
    ['operatorframework.io/os.linux=supported', true],
  ])('labels %j: %s', (text, selected) => {
    const labels = { catalog: 'shelf', provider: 'us', empty: '', 'operatorframework.io/os.linux': 'supported' };
    expect(labelSelectorOf(text)?.(labels)).toBe(selected);
  });

  it.each(['a b', 'a in', 'a in (b', '=b', 'a=b=c', ',a'])('%j is no selector', (text) => {
    expect(labelSelectorOf(text)).toBeUndefined();
  });
});
