import { expect, it } from 'vitest';
import { loadCatalog } from '../../catalog/load/load-catalog.js';
import type { ExtensionInput } from '../../v1/extension/catalog-query.js';
import { packageIndex } from '../../v1/extension/package-content.js';
import { extensionOutlook } from './extension-outlook.js';

const ENTRIES = [
  { name: 'lamp.v1.0.0' },
  { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' },
  { name: 'lamp.v1.2.0', replaces: 'lamp.v1.1.0' },
  { name: 'lamp.v2.0.0', replaces: 'lamp.v1.2.0' },
];
const BLOBS = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'lamp', name: 'stable', entries: ENTRIES },
  ...ENTRIES.map(({ name }) => ({
    schema: 'olm.bundle',
    package: 'lamp',
    name,
    image: `registry.example/${name}`,
    properties: [{ type: 'olm.package', value: { packageName: 'lamp', version: name.slice('lamp.v'.length) } }],
  })),
];
const bytes = Buffer.from(BLOBS.map((blob) => JSON.stringify(blob)).join('\n'));
const shelf = {
  name: 'shelf',
  labels: {},
  priority: 0,
  availabilityMode: 'Available',
  content: packageIndex(loadCatalog([{ path: 'catalog.json', bytes }]), {}),
};
const at = (version: string) => ({ name: `lamp.v${version}`, version });
const outlook = (query: object, installed: ExtensionInput['installed'], more: Partial<ExtensionInput> = {}) =>
  extensionOutlook({
    ...{ query: { packageName: 'lamp', ...query }, installed, catalogs: [shelf], majorUpdates: 'follow' },
    ...more,
  });

it('lists the upgrades that it takes by its spec, up to the newest', () => {
  const hops = ['lamp.v1.1.0', 'lamp.v1.2.0', 'lamp.v2.0.0'];
  expect(outlook({}, at('1.0.0'))).toEqual({ newest: 'lamp.v2.0.0', hops, noWay: '' });
  expect(outlook({}, at('2.0.0'))).toEqual({ newest: 'lamp.v2.0.0', hops: [], noWay: '' });
  const free = { upgradeConstraintPolicy: 'SelfCertified' };
  expect(outlook(free, at('1.0.0'))).toEqual({ newest: 'lamp.v2.0.0', hops: ['lamp.v2.0.0'], noWay: '' });
  expect(outlook({}, undefined)).toEqual({ newest: 'lamp.v2.0.0', hops: [], noWay: '' });
});

it('says what keeps it from the newest', () => {
  const held = outlook({}, at('1.0.0'), { majorUpdates: 'manual' });
  expect(held).toMatchObject({ newest: 'lamp.v2.0.0', hops: ['lamp.v1.1.0', 'lamp.v1.2.0'] });
  expect(held.noWay).toMatch(/^the upgrade path ends at lamp\.v1\.2\.0: it is of another major version than 1\.2\.0/);
  expect(outlook({ version: '1.0.0' }, at('1.0.0'))).toEqual({
    newest: 'lamp.v2.0.0',
    hops: [],
    noWay: 'version "1.0.0" excludes it',
  });
  expect(outlook({ channels: ['fast'] }, at('1.0.0')).noWay).toBe('it is not in channel fast');
});

it('says so where no catalog has the package, or one cannot be read', () => {
  const none = outlook({ packageName: 'buoy' }, undefined);
  expect(none.noWay).toBe('no ClusterCatalog offers a newer version of buoy (shelf: it has no package buoy)');
  const away = { ...shelf, content: { error: 'no answer' } };
  expect(outlook({}, at('1.0.0'), { catalogs: [away] }).noWay).toContain('(shelf: no answer)');
  expect(outlook({}, undefined, { catalogs: [] }).noWay).toContain('no bundles found for package "lamp"');
});
