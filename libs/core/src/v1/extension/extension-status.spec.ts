import { describe, expect, it } from 'vitest';
import type { DeprecationEntry } from '../../catalog/model/catalog.js';
import type { ExtensionCatalog } from './catalog-query.js';
import { type StatusInput, statusAfterPass } from './extension-status.js';
import type { ResolvedBundle } from './resolve-extension.js';
import { parseExplicitVersion, parseLegacyVersion, type VersionRelease } from './version-release.js';

const readable = (version: ReturnType<typeof parseLegacyVersion>): VersionRelease => {
  if ('error' in version) throw new Error(version.error);
  return version;
};

const entry = (schema: string, name: string, message: string): DeprecationEntry => ({
  reference: { schema, name },
  message,
});

const resolved: ResolvedBundle = {
  class: 'Resolved',
  name: 'lamp.v1.0.0',
  image: 'registry.example/lamp@sha256:0',
  version: readable(parseLegacyVersion('1.0.0+2')),
  catalog: 'main',
  deprecation: undefined,
  heldBack: undefined,
};
const catalog: ExtensionCatalog = {
  name: 'main',
  labels: { tier: 'gold' },
  priority: 0,
  availabilityMode: 'Unavailable',
  content: { error: 'switched off' },
};
const installed = { bundle: { name: 'lamp.v0.9.0', version: '0.9.0' }, image: 'registry.example/lamp:old' };

const status = (input: Partial<StatusInput>) =>
  statusAfterPass({
    query: { packageName: 'lamp' },
    installed: undefined,
    catalogs: [],
    gates: {},
    resolution: resolved,
    ...input,
  });

/** `status/reason: message` of one condition. */
function reported(input: Partial<StatusInput>, type: string): string | undefined {
  const found = status(input).conditions.find((condition) => condition.type === type);
  return found && `${found.status}/${found.reason}: ${found.message}`;
}

describe('v1-extension.md, status.install.bundle', () => {
  it.each([
    { because: 'without a field for it, the release is build metadata', gates: {}, says: { version: '1.0.0+2' } },
    {
      because: 'with the gate it has its own field',
      gates: { BundleReleaseSupport: true },
      says: { version: '1.0.0', release: '2' },
    },
    {
      because: 'an explicit empty release is said, too',
      gates: { BundleReleaseSupport: true },
      version: readable(parseExplicitVersion('1.0.0+git.1', '')),
      says: { version: '1.0.0+git.1', release: '' },
    },
  ])('$because', ({ gates, version = resolved.version, says }) => {
    const { install } = status({ gates, resolution: { ...resolved, version } });
    expect(install).toEqual({ name: 'lamp.v1.0.0', ...says });
  });
});

describe('v1-extension.md, deprecation conditions', () => {
  const deprecation = [
    entry('olm.package', '', 'package goes'),
    entry('olm.channel', 'fast', 'fast goes'),
    entry('olm.channel', 'stable', ''),
    entry('olm.bundle', 'lamp.v1.0.0', 'bundle goes'),
    entry('olm.bundle', 'lamp.v0.9.0', 'long gone'),
  ];
  const resolution = { ...resolved, deprecation };

  it.each([
    {
      type: 'Deprecated',
      channels: [],
      says: 'True/Deprecated: package goes\nfast goes\nbundle goes',
      because: 'all in one',
    },
    {
      type: 'ChannelDeprecated',
      channels: [],
      says: 'True/Deprecated: fast goes',
      because: 'any channel may be meant',
    },
    {
      type: 'ChannelDeprecated',
      channels: ['stable'],
      says: 'False/NotDeprecated: channel not deprecated',
      because: 'no message, no deprecation',
    },
    {
      type: 'BundleDeprecated',
      channels: [],
      says: 'True/Deprecated: bundle goes',
      because: 'the one that is installed now',
    },
  ])('$type with channels $channels: $because', ({ type, channels, says }) => {
    expect(reported({ query: { packageName: 'lamp', channels }, resolution, installed }, type)).toBe(says);
  });
});

describe('v1-extension.md, Progressing', () => {
  const resolution = { class: 'NotFound', error: 'nothing found' } as const;

  it.each([
    { because: 'all went well', input: {}, says: 'True/Succeeded: Desired state reached' },
    {
      because: 'what is held back is told, with the way to take it',
      input: { resolution: { ...resolved, heldBack: { version: '2.0.0', installed: '1.0.0' } } },
      says: 'True/Succeeded: Desired state reached. Version "2.0.0" is held back: it is of another major version than the installed "1.0.0". To install it, set spec.source.catalog.version to "2.0.0".',
    },
    { because: 'nothing is installed', input: { resolution }, says: 'True/Retrying: nothing found' },
    {
      because: 'all catalogs are gone: what is there is kept',
      input: { resolution, installed },
      says: 'True/Succeeded: Desired state reached',
    },
    {
      because: 'a catalog that is switched off is not gone',
      input: { resolution, installed, catalogs: [catalog] },
      says: 'True/Retrying: nothing found',
    },
    {
      because: 'a catalog that is not selected might as well be gone',
      input: {
        resolution,
        installed,
        catalogs: [catalog],
        query: { packageName: 'lamp', selector: { matchLabels: { tier: 'silver' } } },
      },
      says: 'True/Succeeded: Desired state reached',
    },
    {
      because: 'a range never is what is installed, not even one that holds it',
      input: { resolution, installed, query: { packageName: 'lamp', version: '>=0.9.0' } },
      says: 'True/Retrying: nothing found',
    },
    {
      because: 'messages end where Kubernetes would refuse them',
      input: { resolution: { class: 'NotFound', error: 'é'.repeat(20_000) } as const },
      says: expect.stringMatching(/é\n\n\.\.\. \[message truncated\]$/),
    },
  ])('$says: $because', ({ input, says }) => {
    expect(reported(input, 'Progressing')).toEqual(says);
  });
});
