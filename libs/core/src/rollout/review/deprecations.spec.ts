import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { classicDeprecations, v1Deprecations } from './deprecations.js';

const entry = (name: string, channel: string, deprecation?: string) => ({
  ...{ name, channel, version: '1.0.0', replaces: '', skips: [], skipRange: '', properties: [] },
  source: { inline: 'sha256:0' },
  ...(deprecation === undefined ? {} : { deprecation }),
});
const record = (more: Partial<PackageRecord> = {}): PackageRecord => ({
  ...{ name: 'tug', defaultChannel: 'stable' },
  entries: [entry('tug.v1', 'stable', 'broken'), entry('tug.v2', 'stable'), entry('tug.v1', 'fast', 'broken')],
  ...more,
});

describe('what a catalog deprecates of a bundle that a Subscription would get', () => {
  it.each<[string, Partial<PackageRecord>, string | undefined, string, string[]]>([
    ['nothing', {}, 'stable', 'tug.v2', []],
    ['the bundle', {}, 'stable', 'tug.v1', ['bundle tug.v1: broken']],
    ['the bundle of any channel', {}, undefined, 'tug.v1', ['bundle tug.v1: broken']],
    ['its channel', { channelDeprecations: { stable: 'use fast' } }, 'stable', 'tug.v2', ['channel stable: use fast']],
    ['another channel', { channelDeprecations: { fast: 'use stable' } }, 'stable', 'tug.v2', []],
    ['a channel that is not asked for', { channelDeprecations: { stable: 'use fast' } }, undefined, 'tug.v2', []],
    ['the package', { deprecation: 'use barge' }, 'stable', 'tug.v2', ['package tug: use barge']],
    [
      'all of them',
      { deprecation: 'use barge', channelDeprecations: { stable: 'use fast' } },
      'stable',
      'tug.v1',
      ['package tug: use barge', 'channel stable: use fast', 'bundle tug.v1: broken'],
    ],
    ['a bundle that it does not list', { deprecation: 'use barge' }, 'stable', 'tug.v9', ['package tug: use barge']],
  ])('%s', (_what, more, channel, bundle, expected) => {
    expect(classicDeprecations(record(more), channel, bundle)).toEqual(expected);
  });
});

describe('what a catalog deprecates of a bundle that a ClusterExtension would get', () => {
  const of = (schema: string, name: string, message = 'old') => ({ reference: { schema, name }, message });
  const ENTRIES = [of('olm.channel', 'stable'), of('olm.bundle', 'tug.v1')];
  it.each<[string, readonly ReturnType<typeof of>[], readonly string[], string, string[]]>([
    ['the bundle alone', ENTRIES, ['fast'], 'tug.v1', ['bundle tug.v1: old']],
    ['the channel that is named', ENTRIES, ['stable'], 'tug.v2', ['channel stable: old']],
    ['any channel where none is named', ENTRIES, [], 'tug.v2', ['channel stable: old']],
    ['another bundle and another channel', ENTRIES, ['fast'], 'tug.v2', []],
    ['the package', [of('olm.package', 'tug')], ['fast'], 'tug.v2', ['package tug: old']],
    ['an entry without message', [of('olm.package', 'tug', '')], ['fast'], 'tug.v2', []],
  ])('%s', (_what, entries, channels, bundle, expected) => {
    expect(v1Deprecations(entries, channels, bundle)).toEqual(expected);
  });
});
