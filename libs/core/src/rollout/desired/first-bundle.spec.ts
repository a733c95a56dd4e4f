import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { firstBundle } from './first-bundle.js';

const entry = (version: string, channel: string) => ({
  ...{ name: `kafka.v${version}`, channel, version, replaces: '', skips: [], skipRange: '' },
  ...{ properties: [], source: { image: `example.com/kafka:${version}` } },
});
const record: PackageRecord = {
  name: 'kafka',
  defaultChannel: 'stable',
  entries: [
    ...['1.0.0', '1.9.0', '1.10.0', '2.0.0'].map((version) => entry(version, 'stable')),
    entry('3.0.0', 'beta'),
    entry('new', 'stable'),
  ],
};
const operator = (versions: object | undefined) =>
  FleetOperator.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetOperator',
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka', namespace: 'kafka', catalog: { name: 'curated' }, versions },
  });

describe('the bundle that a first install begins with', () => {
  it.each<readonly [string, object | undefined, string | undefined, string | undefined]>([
    ['is left to OLM without versions', undefined, 'stable', undefined],
    ['is the newest by version, and not by text', { range: '<2.0.0' }, 'stable', 'kafka.v1.10.0'],
    ['is not denied', { deny: ['2.0.0', '1.10.0'] }, 'stable', 'kafka.v1.9.0'],
    ['is the one that is pinned', { range: '1.0.0' }, 'stable', 'kafka.v1.0.0'],
    ['is of the channel', { deny: ['1.0.0'] }, 'stable', 'kafka.v2.0.0'],
    ['is of any channel without one', { deny: ['1.0.0'] }, undefined, 'kafka.v3.0.0'],
    ['is none where none is allowed', { range: '>=4.0.0' }, 'stable', undefined],
  ])('%s', (_what, versions, channel, expected) => {
    expect(firstBundle(operator(versions), { channel }, record)).toBe(expected);
  });

  it('is not known before the catalog is', () => {
    expect(firstBundle(operator({ range: '<2.0.0' }), { channel: 'stable' }, undefined)).toBeUndefined();
  });
});
