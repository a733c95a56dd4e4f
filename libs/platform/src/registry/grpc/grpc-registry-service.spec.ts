import { EventEmitter } from 'node:events';
import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { GrpcCatalogIndex } from './grpc-catalog-index.js';
import { experimentalService, healthService, registryService } from './grpc-registry-service.js';

const gvk = { group: 'ants.test', version: 'v1', kind: 'Ant' };
const bundle = (pkg: string, name: string, version: string) => ({
  schema: 'olm.bundle',
  name,
  package: pkg,
  image: `registry.test/${name}`,
  properties: [
    { type: 'olm.package', value: { packageName: pkg, version } },
    { type: 'olm.gvk', value: gvk },
  ],
});
const blobs = [
  { schema: 'olm.package', name: 'bee', defaultChannel: 'beta' },
  { schema: 'olm.channel', name: 'beta', package: 'bee', entries: [{ name: 'bee.v1' }] },
  bundle('bee', 'bee.v1', '1.0.0'),
  { schema: 'olm.package', name: 'ant', defaultChannel: 'stable' },
  {
    schema: 'olm.channel',
    name: 'stable',
    package: 'ant',
    entries: [
      { name: 'ant.v1' },
      { name: 'ant.v3', replaces: 'ant.v1', skips: ['ant.v2', 'ant.v0'] },
      { name: 'ant.v2', replaces: 'ant.v1' },
    ],
  },
  { schema: 'olm.channel', name: 'fast', package: 'ant', entries: [{ name: 'ant.v2' }] },
  bundle('ant', 'ant.v1', '1.0.0'),
  bundle('ant', 'ant.v2', '2.0.0'),
  bundle('ant', 'ant.v3', '3.0.0'),
  {
    schema: 'olm.deprecations',
    package: 'ant',
    entries: [
      { reference: { schema: 'olm.package' }, message: 'package' },
      { reference: { schema: 'olm.channel', name: 'fast' }, message: 'channel' },
      { reference: { schema: 'olm.bundle', name: 'ant.v1' }, message: 'bundle' },
    ],
  },
  { schema: 'my.schema', name: 'one', package: 'ant', value: 1 },
  { schema: 'my.schema', name: 'two', value: 2 },
];
const bytes = new TextEncoder().encode(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
const index = new GrpcCatalogIndex(loadCatalog([{ path: 'catalog.json', bytes }]));

type Answer = Readonly<{ messages: unknown[]; error?: unknown }>;
type Streaming = Readonly<{ acknowledges?: boolean; cancelAfter?: number; fullAfter?: number }>;

/** A call as the gRPC library makes it; one that streams may be slow, or be cancelled. */
class FakeCall extends EventEmitter {
  readonly metadata = new Metadata();
  readonly messages: unknown[] = [];
  readonly ended = Promise.withResolvers<void>();
  cancelled = false;
  constructor(
    readonly request: unknown,
    private readonly streaming: Streaming = {},
  ) {
    super();
    if (streaming.acknowledges) this.metadata.set('x-acknowledge-experimental', 'true');
    this.on('error', () => this.ended.resolve());
  }
  write(message: unknown): boolean {
    this.messages.push(message);
    const { cancelAfter, fullAfter } = this.streaming;
    if (this.messages.length === cancelAfter) {
      this.cancelled = true;
      this.emit('cancelled');
      setImmediate(() => this.ended.resolve());
    }
    if (this.messages.length !== fullAfter) return true;
    setImmediate(() => this.emit('drain'));
    return false;
  }
  end(): void {
    this.ended.resolve();
  }
}

const services = { ...registryService(() => index), ...experimentalService(() => index), ...healthService() };

async function ask(method: string, request: object = {}, streaming?: Streaming): Promise<Answer> {
  const call = new FakeCall({ name: '', pkgName: '', channelName: '', csvName: '', ...request }, streaming);
  let error: unknown;
  call.on('error', (thrown) => {
    error = thrown;
  });
  const handler = services[method] as unknown as (
    call: FakeCall,
    callback: (error: unknown, message: unknown) => void,
  ) => void;
  handler(call, (failed, message) => {
    if (failed) error = failed;
    else call.messages.push(message);
    call.ended.resolve();
  });
  await call.ended.promise;
  return { messages: call.messages, ...(error === undefined ? {} : { error }) };
}

const edge = (packageName: string, channelName: string, bundleName: string, replaces: string) => ({
  packageName,
  channelName,
  bundleName,
  replaces,
});

describe('api.Registry (spec: file-based-catalogs.md §8)', () => {
  it.each([
    { method: 'ListPackages', request: {}, messages: [{ name: 'ant' }, { name: 'bee' }] },
    {
      method: 'GetPackage',
      request: { name: 'ant' },
      messages: [
        {
          name: 'ant',
          channels: [
            { name: 'fast', csvName: 'ant.v2', deprecation: { message: 'channel' } },
            { name: 'stable', csvName: 'ant.v3', deprecation: null },
          ],
          defaultChannelName: 'stable',
          deprecation: { message: 'package' },
        },
      ],
    },
    {
      method: 'GetChannelEntriesThatReplace',
      request: { csvName: 'ant.v1' },
      messages: [edge('ant', 'stable', 'ant.v3', 'ant.v1'), edge('ant', 'stable', 'ant.v2', 'ant.v1')],
    },
    {
      method: 'GetLatestChannelEntriesThatProvide',
      request: gvk,
      messages: [
        edge('ant', 'fast', 'ant.v2', ''),
        edge('ant', 'stable', 'ant.v3', 'ant.v1'),
        edge('ant', 'stable', 'ant.v3', 'ant.v2'),
        edge('bee', 'beta', 'bee.v1', ''),
      ],
    },
    {
      method: 'GetChannelEntriesThatProvide',
      request: gvk,
      messages: [
        edge('ant', 'fast', 'ant.v2', ''),
        edge('ant', 'stable', 'ant.v1', ''),
        edge('ant', 'stable', 'ant.v3', 'ant.v1'),
        edge('ant', 'stable', 'ant.v3', 'ant.v2'),
        edge('ant', 'stable', 'ant.v3', 'ant.v0'),
        edge('ant', 'stable', 'ant.v2', 'ant.v1'),
        edge('bee', 'beta', 'bee.v1', ''),
      ],
    },
    { method: 'Check', request: {}, messages: [{ status: 'SERVING' }] },
  ])('$method', async ({ method, request, messages }) => {
    expect(await ask(method, request)).toEqual({ messages });
  });

  it.each([
    { method: 'GetBundle', request: { pkgName: 'ant', channelName: 'stable', csvName: 'ant.v1' }, name: 'ant.v1' },
    { method: 'GetBundleForChannel', request: { pkgName: 'ant', channelName: 'stable' }, name: 'ant.v3' },
    { method: 'GetBundleForChannel', request: { pkgName: 'ant', channelName: 'fast' }, name: 'ant.v2' },
    {
      method: 'GetBundleThatReplaces',
      request: { pkgName: 'ant', channelName: 'stable', csvName: 'ant.v2' },
      name: 'ant.v3',
    },
    { method: 'GetDefaultBundleThatProvides', request: gvk, name: 'ant.v3' },
  ])('$method of $request gives $name without edges', async ({ method, request, name }) => {
    expect((await ask(method, request)).messages).toMatchObject([{ csvName: name, replaces: '', skips: [] }]);
  });

  it('ListBundles gives every bundle of every channel, with edges and deprecations', async () => {
    const { messages } = await ask('ListBundles');
    expect(messages).toMatchObject([
      { channelName: 'fast', csvName: 'ant.v2', deprecation: null },
      { channelName: 'stable', csvName: 'ant.v1', deprecation: { message: 'bundle' } },
      { channelName: 'stable', csvName: 'ant.v3', replaces: 'ant.v1', skips: ['ant.v2', 'ant.v0'] },
      { channelName: 'stable', csvName: 'ant.v2', replaces: 'ant.v1', skips: [] },
      { channelName: 'beta', csvName: 'bee.v1' },
    ]);
  });

  const noApi = 'group:"g" version:"" kind:"K"';
  it.each([
    { method: 'GetPackage', request: { name: 'no' }, details: 'package "no" not found' },
    { method: 'GetBundle', request: { pkgName: 'no' }, details: 'package "no" not found' },
    {
      method: 'GetBundle',
      request: { pkgName: 'ant', channelName: 'no' },
      details: 'package "ant", channel "no" not found',
    },
    {
      method: 'GetBundle',
      request: { pkgName: 'ant', channelName: 'fast', csvName: 'no' },
      details: 'package "ant", channel "fast", bundle "no" not found',
    },
    { method: 'GetBundleForChannel', request: { pkgName: 'ant' }, details: 'package "ant", channel "" not found' },
    { method: 'GetBundleThatReplaces', request: { pkgName: 'no' }, details: 'package no not found' },
    {
      method: 'GetBundleThatReplaces',
      request: { pkgName: 'ant', channelName: 'fast', csvName: 'ant.v1' },
      details: 'no entry found for package "ant", channel "fast"',
    },
    {
      method: 'GetChannelEntriesThatReplace',
      request: { csvName: 'ant.v3' },
      details: 'no channel entries found that replace ant.v3',
    },
    {
      method: 'GetChannelEntriesThatProvide',
      request: { group: 'g', version: '', kind: 'K' },
      details: `no channel entries found that provide ${noApi}`,
    },
    {
      method: 'GetLatestChannelEntriesThatProvide',
      request: { group: 'g', version: '', kind: 'K' },
      details: `no channel entries found that provide ${noApi}`,
    },
  ])('$method of $request fails with code Unknown', async ({ method, request, details }) => {
    expect(await ask(method, request)).toEqual({ messages: [], error: { code: status.UNKNOWN, details } });
  });

  it('reports a fault of its own as such', async () => {
    const broken = registryService(() => {
      throw new Error('no index');
    });
    let error: unknown;
    const getPackage = broken['GetPackage'] as unknown as (call: FakeCall, callback: (error: unknown) => void) => void;
    getPackage(new FakeCall({ name: 'ant' }), (thrown) => {
      error = thrown;
    });
    expect(error).toEqual({ code: status.INTERNAL, details: 'no index' });
  });
});

describe('a stream', () => {
  it('waits for a slow client', async () => {
    expect((await ask('ListBundles', {}, { fullAfter: 2 })).messages).toHaveLength(5);
  });

  it.each([{ fullAfter: 2 }, {}])('ends with a client that has gone: %o', async (more) => {
    expect((await ask('ListBundles', {}, { cancelAfter: 2, ...more })).messages).toHaveLength(2);
  });
});

describe('api.ExperimentalRegistry', () => {
  const list = (request: object, acknowledges = true) =>
    ask('ExperimentalListPackageCustomSchemas', { schema: '', packageName: '', ...request }, { acknowledges });
  it.each([
    { because: 'the blobs of a package', request: { schema: 'my.schema', packageName: 'ant' }, names: ['one'] },
    { because: 'only blobs without a package', request: { schema: 'my.schema' }, names: ['two'] },
    { because: 'none of another schema', request: { schema: 'other' }, names: [] },
  ])('gives $because', async ({ request, names }) => {
    const { messages, error } = { error: undefined, ...(await list(request)) };
    expect(error).toBeUndefined();
    expect(messages).toMatchObject(names.map((name) => ({ fields: { name: { stringValue: name } } })));
    expect(messages).toHaveLength(names.length);
  });

  it('gives nothing to a client that does not know it is an experiment', async () => {
    expect(await list({ schema: 'my.schema' }, false)).toEqual({ messages: [] });
  });

  const form = 'must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$';
  it.each([
    { request: {}, details: 'schema is required' },
    { request: { schema: 'a/b' }, details: `invalid custom schema query: invalid schema "a/b": ${form}` },
    {
      request: { schema: 'a', packageName: '-b' },
      details: `invalid custom schema query: invalid package "-b": ${form}`,
    },
  ])('refuses: $details', async ({ request, details }) => {
    expect(await list(request)).toEqual({ messages: [], error: { code: status.INVALID_ARGUMENT, details } });
  });
});

describe('grpc.health.v1.Health', () => {
  it('cannot be watched', async () => {
    expect(await ask('Watch')).toMatchObject({ messages: [], error: { code: status.UNIMPLEMENTED } });
  });
});
