import { describe, expect, it } from 'vitest';
import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';
import { Subscription } from '../../kernel/api/subscription.js';
import { operatorOutlook } from './operator-outlook.js';

const entry = (name: string, replaces = ''): EntryRecord => ({
  name,
  channel: 'stable',
  version: name.replace('mill.v', ''),
  replaces,
  skips: [],
  skipRange: '',
  properties: [{ type: 'olm.package', value: { packageName: 'mill', version: name.replace('mill.v', '') } }],
  source: { image: `registry.example/${name}` },
});
const record: PackageRecord = {
  name: 'mill',
  defaultChannel: 'stable',
  entries: [entry('mill.v1.0.0'), entry('mill.v1.1.0', 'mill.v1.0.0'), entry('mill.v1.2.0', 'mill.v1.1.0')],
};
const subscription = (installedCSV: string, channel?: string) =>
  Subscription.parse({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'mill', namespace: 'team' },
    spec: { name: 'mill', source: 'samples', sourceNamespace: 'olm', ...(channel === undefined ? {} : { channel }) },
    status: { lastUpdated: '2026-01-01T00:00:00Z', installedCSV },
  });

describe('how far an operator is behind', () => {
  it('counts the upgrades that OLM takes to the newest bundle of the channel', () => {
    expect(operatorOutlook(subscription('mill.v1.0.0'), record)).toMatchObject({
      newest: 'mill.v1.2.0',
      hops: ['mill.v1.1.0', 'mill.v1.2.0'],
      noWay: '',
    });
    expect(operatorOutlook(subscription('mill.v1.2.0'), record)).toMatchObject({ newest: 'mill.v1.2.0', hops: [] });
  });

  it.each([
    [
      'the package has left the catalog',
      subscription('mill.v1.0.0'),
      undefined,
      'the catalog does not have package mill',
    ],
    ['its channel is gone', subscription('mill.v1.0.0', 'alpha'), record, 'channel alpha is not in the catalog'],
    ['nothing leads on', subscription('mill.v0.9.0'), record, 'the catalog has no upgrade from mill.v0.9.0'],
  ])('says why there is no way where %s', (_, asked, of, why) => {
    expect(operatorOutlook(asked, of).noWay).toContain(why);
  });

  it('names each deprecation once', () => {
    const old = 'mill is at its end';
    const deprecated: PackageRecord = {
      ...record,
      deprecation: old,
      channelDeprecations: { stable: 'use fast' },
      entries: record.entries.map((one) => (one.name === 'mill.v1.0.0' ? { ...one, deprecation: old } : one)),
    };
    expect(operatorOutlook(subscription('mill.v1.0.0'), deprecated).deprecations).toEqual([old, 'use fast']);
  });
});
