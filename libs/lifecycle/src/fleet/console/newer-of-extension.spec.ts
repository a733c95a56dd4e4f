import { describe, expect, it } from 'vitest';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { ExtensionPackage, ExtensionProblem } from '#core/v1/extension/extension-problem';
import { keptRevisions, newerOfExtension } from './newer-of-extension.js';

const bundle = (version: string) => ({
  name: `lamp.v${version}`,
  image: `registry.test/lamp:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version } }],
});
const SHELF: ExtensionPackage = {
  v1: true,
  name: 'lamp',
  channels: [
    {
      name: 'stable',
      entries: [
        { name: 'lamp.v1.0.0' },
        { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' },
        { name: 'lamp.v1.2.0', replaces: 'lamp.v1.1.0' },
      ],
    },
    { name: 'candidate', entries: [{ name: 'lamp.v2.0.0', replaces: 'lamp.v1.2.0' }] },
  ],
  bundles: ['1.0.0', '1.1.0', '1.2.0', '2.0.0'].map(bundle),
  deprecation: null,
};

const ask = (installed: string, record = SHELF) => {
  const problem: ExtensionProblem = {
    v: 1,
    extension: {
      query: { packageName: 'lamp', channels: ['stable'] },
      installed: { name: `lamp.v${installed}`, version: installed },
      majorUpdates: 'manual',
    },
    catalogs: [{ name: 'shelf', priority: 0, record: 'one' }],
  };
  return newerOfExtension({ hash: 'hash', problem, records: new Map([['one', record]]) }, false);
};

describe('newer versions on the page of a ClusterExtension', () => {
  it('are those of every channel, the newest first, each with the rule that excludes it', () => {
    expect(ask('1.0.0')).toEqual([
      {
        ...{ bundle: 'lamp.v2.0.0', version: '2.0.0', channel: 'candidate of shelf' },
        why: 'it is not in channel stable',
      },
      {
        ...{ bundle: 'lamp.v1.2.0', version: '1.2.0', channel: 'stable of shelf' },
        why: expect.stringContaining('the catalog has no upgrade to it from 1.0.0'),
      },
      { bundle: 'lamp.v1.1.0', version: '1.1.0', channel: 'stable of shelf', why: 'it is the next one' },
    ]);
  });

  it('are none where nothing is newer, and twelve at most', () => {
    expect(ask('2.0.0')).toEqual([]);
    const many = Array.from({ length: 40 }, (_, at) => bundle(`3.${at}.0`));
    const entries = many.map(({ name }) => ({ name }));
    const wide = {
      ...SHELF,
      channels: [...SHELF.channels, { name: 'beta', entries }],
      bundles: [...SHELF.bundles, ...many],
    };
    expect(ask('1.0.0', wide)).toHaveLength(12);
  });

  it('stand beside the revisions that are kept', () => {
    const revision = (number: number, lifecycleState: string) =>
      ({
        metadata: {
          name: `lamp-${number}`,
          annotations: {
            'olm.operatorframework.io/bundle-name': `lamp.v1.${number}.0`,
            'olm.operatorframework.io/bundle-version': `1.${number}.0`,
          },
        },
        spec: { revision: number, lifecycleState },
        status: { conditions: [{ type: 'Succeeded', status: 'True' }] },
      }) as unknown as ClusterObjectSet;
    expect(keptRevisions({ problem: undefined, revisions: [revision(1, 'Archived'), revision(2, 'Active')] })).toEqual([
      { revision: 2, bundle: 'lamp.v1.2.0', version: '1.2.0', state: 'active' },
      { revision: 1, bundle: 'lamp.v1.1.0', version: '1.1.0', state: 'archived' },
    ]);
  });
});
