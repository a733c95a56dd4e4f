import { describe, expect, it } from 'vitest';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { withDeprecations } from './deprecation-conditions.js';

const NOW = '2026-01-01T00:00:00Z';
const subscription = (status: SubscriptionStatus, channel: string): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'tug', namespace: 'harbour' },
  spec: { name: 'tug', source: 'shelf', sourceNamespace: 'olm', ...(channel === '' ? {} : { channel }) },
  status,
});
const reported = (status: SubscriptionStatus) =>
  (status.conditions ?? []).map(
    ({ type, status: holds, reason = '', message = '' }) => `${type} ${holds}/${reason}: ${message}`,
  );

describe('subscriptions.md §4, Deprecation', () => {
  const entry = (name: string, channel: string, deprecation?: string) => ({
    name,
    channel,
    version: '1.0.0',
    replaces: '',
    skips: [],
    skipRange: '',
    properties: [],
    source: { inline: 'sha256:0' },
    ...(deprecation === undefined ? {} : { deprecation }),
  });
  const record = {
    name: 'tug',
    defaultChannel: 'stable',
    deprecation: 'use barge',
    channelDeprecations: { stable: 'use fast' },
    entries: [entry('tug.v1', 'stable', 'broken'), entry('tug.v2', 'stable')],
  };
  const seen = (installedCSV: string, channel: string, of: typeof record | undefined = record) =>
    reported(withDeprecations(subscription({ installedCSV }, channel), of, NOW).status);

  it.each<[why: string, installed: string, channel: string, conditions: string[]]>([
    [
      'all three and their sum',
      'tug.v1',
      'stable',
      [
        'PackageDeprecated True/: olm.package/tug: use barge',
        'ChannelDeprecated True/: olm.channel/stable: use fast',
        'BundleDeprecated True/: olm.bundle/tug.v1: broken',
        'Deprecated True/: olm.package/tug: use barge; olm.channel/stable: use fast; olm.bundle/tug.v1: broken',
      ],
    ],
    [
      'a bundle that is fine',
      'tug.v2',
      'stable',
      [
        'PackageDeprecated True/: olm.package/tug: use barge',
        'ChannelDeprecated True/: olm.channel/stable: use fast',
        'Deprecated True/: olm.package/tug: use barge; olm.channel/stable: use fast',
      ],
    ],
    [
      'without a channel no channel is deprecated',
      'tug.v2',
      '',
      ['PackageDeprecated True/: olm.package/tug: use barge', 'Deprecated True/: olm.package/tug: use barge'],
    ],
    ['a bundle that the catalog does not list', 'tug.v9', 'stable', []],
  ])('%s', (_why, installed, channel, conditions) => {
    expect(seen(installed, channel)).toEqual(conditions);
  });

  it('go when the catalog takes them back, and stay when the catalog no longer knows the bundle', () => {
    const deprecated = withDeprecations(subscription({ installedCSV: 'tug.v1' }, 'stable'), record, NOW).status;
    const { deprecation: _package, channelDeprecations: _channels, ...rest } = record;
    const fine = { ...rest, entries: [entry('tug.v1', 'stable')] };
    const laterReported = (of: Parameters<typeof withDeprecations>[1]) =>
      reported(withDeprecations(subscription(deprecated, 'stable'), of, NOW).status);
    expect(laterReported(fine)).toEqual([]);
    expect(laterReported({ ...rest, entries: [] })).toHaveLength(4);
    expect(laterReported(undefined)).toHaveLength(4);
  });
});
