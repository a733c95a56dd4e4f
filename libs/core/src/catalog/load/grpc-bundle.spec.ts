import { describe, expect, it } from 'vitest';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { type GrpcBundle, type GrpcPackage, recordsOfGrpc } from './grpc-bundle.js';

const bundle = (over: Partial<GrpcBundle>): GrpcBundle => ({
  csvName: 'ant.v1.0.0',
  packageName: 'ant',
  channelName: 'stable',
  csvJson: '',
  object: [],
  bundlePath: 'registry.example.test/ant:v1',
  providedApis: [],
  requiredApis: [],
  version: '1.0.0',
  skipRange: '',
  dependencies: [],
  properties: [],
  replaces: '',
  skips: [],
  deprecation: null,
  ...over,
});
const ant: GrpcPackage = { name: 'ant', channels: [], defaultChannelName: 'stable', deprecation: null };
const propertiesOf = (over: Partial<GrpcBundle>) =>
  recordsOfGrpc([bundle(over)], [ant]).records[0]?.entries[0]?.properties;
const olmPackage = { type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } };
const thing = { group: 'a.test', version: 'v1', kind: 'Thing', plural: '' };
const thingValue = { group: 'a.test', kind: 'Thing', version: 'v1' };

describe('recordsOfGrpc', () => {
  it.each([
    { because: 'no property at all: olm.package is added', over: {}, properties: [olmPackage] },
    {
      because: 'no property: provided APIs stand in',
      over: { providedApis: [thing] },
      properties: [{ type: 'olm.gvk', value: thingValue }, olmPackage],
    },
    {
      because: 'no dependency: required APIs stand in',
      over: { requiredApis: [thing] },
      properties: [{ type: 'olm.gvk.required', value: thingValue }, olmPackage],
    },
    {
      because: 'a package dependency has its range under "version"',
      over: { dependencies: [{ type: 'olm.package', value: '{"packageName":"bee","version":">=1.0.0"}' }] },
      properties: [
        { type: 'olm.package.required', value: { packageName: 'bee', versionRange: '>=1.0.0' } },
        olmPackage,
      ],
    },
    {
      because: 'a dependency that is a property already is not repeated',
      over: {
        properties: [{ type: 'olm.gvk.required', value: JSON.stringify(thingValue) }],
        dependencies: [{ type: 'olm.gvk', value: JSON.stringify(thingValue) }],
      },
      properties: [{ type: 'olm.gvk.required', value: thingValue }, olmPackage],
    },
    {
      because: 'keys in an order of their own: the text stays',
      over: {
        properties: [
          { type: 'x', value: '{"b":1, "a":2}' },
          { type: 'olm.package', value: JSON.stringify(olmPackage.value) },
        ],
      },
      properties: [{ type: 'x', value: { b: 1, a: 2 }, written: '{"b":1,"a":2}' }, olmPackage],
    },
  ])('properties: $because', ({ over, properties }) => {
    expect(propertiesOf(over)).toEqual(properties);
  });

  it.each([
    { because: 'a property that is no JSON', over: { properties: [{ type: 'x', value: '{' }] } },
    { because: 'a dependency of unknown type', over: { dependencies: [{ type: 'x', value: '{}' }] } },
    { because: 'neither image nor manifests', over: { bundlePath: '' } },
    { because: 'a manifest that is no object', over: { bundlePath: '', object: ['[]'] } },
    {
      because: 'a property nested beyond measure',
      over: { properties: [{ type: 'x', value: `${'['.repeat(200_000)}${']'.repeat(200_000)}` }] },
    },
  ])('leaves out, and says so, a bundle with $because', ({ over }) => {
    const { records, leftOut } = recordsOfGrpc([bundle(over), bundle({ csvName: 'ant.v2.0.0' })], [ant]);
    expect(records[0]?.entries.map(({ name }) => name)).toEqual(['ant.v2.0.0']);
    expect(leftOut).toEqual([expect.stringContaining('bundle "ant.v1.0.0"')]);
  });

  it('names inline manifests by the digest of their canonical JSON', () => {
    const csv = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', metadata: { name: 'x' } };
    const { records, inline } = recordsOfGrpc([bundle({ bundlePath: '', object: [JSON.stringify(csv)] })], [ant]);
    const digest = `sha256:${canonicalHash([csv])}` as const;
    expect(records[0]?.entries[0]?.source).toEqual({ inline: digest });
    expect(inline.get(digest)).toEqual([csv]);
  });

  it('offers a bundle with a manifest without apiVersion, as OLM does: it is up to the cluster to refuse it', () => {
    const role = { kind: 'ClusterRole', metadata: { name: 'ants' } };
    const { records, inline, leftOut } = recordsOfGrpc(
      [bundle({ bundlePath: '', object: [JSON.stringify(role)] })],
      [ant],
    );
    expect(leftOut).toEqual([]);
    expect(records[0]?.entries).toHaveLength(1);
    expect([...inline.values()]).toEqual([[{ ...role, apiVersion: '' }]]);
  });

  it('carries deprecations of package, channel and bundle', () => {
    const { records } = recordsOfGrpc(
      [bundle({ deprecation: { message: 'b' } })],
      [
        {
          ...ant,
          deprecation: { message: 'p' },
          channels: [{ name: 'stable', csvName: '', deprecation: { message: 'c' } }],
        },
      ],
    );
    expect(records[0]).toMatchObject({
      deprecation: 'p',
      channelDeprecations: { stable: 'c' },
      entries: [{ deprecation: 'b' }],
    });
  });

  it('gives the same records whatever the order of the stream', () => {
    const listed = ['c', 'a', 'b'].map((name) => bundle({ csvName: name }));
    expect(recordsOfGrpc(listed, [ant])).toEqual(recordsOfGrpc(listed.toReversed(), [ant]));
  });
});
