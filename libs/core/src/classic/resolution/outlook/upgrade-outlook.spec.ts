import { describe, expect, it } from 'vitest';
import type { EntryRecord } from '../../../catalog/model/package-record.js';
import type { IndexedCatalog } from '../problem/catalog-slice.js';
import type { DesiredNamespace, InstalledCsv } from '../problem/resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleResolution,
  sampleSubscription,
} from '../sample-problem.fixture.js';
import { renderOutlook } from './render-outlook.js';
import { upgradeOutlook } from './upgrade-outlook.js';

const at = (installedCSV: string) => sampleSubscription('harbor', { installedCSV, currentCSV: installedCSV });
const csv = (entry: EntryRecord): InstalledCsv => ({
  name: entry.name,
  version: entry.version,
  replaces: '',
  phase: '',
  propertiesAnnotation: JSON.stringify({ properties: entry.properties }),
  ownedApis: [],
  requiredApis: [],
});
const replaces = (version: string) => ({ replaces: `harbor.v${version}` });
const v1 = sampleEntry('harbor', '1.0.0');

const outlook = (desiredNamespace: Partial<DesiredNamespace>, ...catalogs: IndexedCatalog[]) => {
  const whole = sampleNamespace(desiredNamespace);
  const { resolution } = sampleResolution(whole, catalogs);
  const desired = whole.subscriptions.find(({ name }) => name === 'harbor');
  if (resolution.result !== 'resolved' || desired === undefined) return expect.fail(JSON.stringify(resolution));
  return upgradeOutlook(desired, whole, catalogs, resolution);
};
const shelf = (...entries: EntryRecord[]) => sampleCatalog('shelf', samplePackage('harbor', ...entries));
const running = { subscriptions: [at('harbor.v1.0.0')], csvs: [csv(v1)] };

describe('why nothing newer is installed', () => {
  const v2 = sampleEntry('harbor', '2.0.0', [], replaces('1.0.0'));
  it.each([
    { because: 'there is nothing newer', catalogs: [shelf(v1)], newer: [] },
    {
      because: 'it comes after the next one',
      catalogs: [shelf(v1, v2, sampleEntry('harbor', '3.0.0', [], replaces('2.0.0')))],
      newer: ['harbor.v3.0.0 later-step: reached through harbor.v2.0.0'],
    },
    {
      because: 'it is in another channel',
      catalogs: [shelf(v1, sampleEntry('harbor', '2.0.0', [], { channel: 'fast' }))],
      newer: [
        'harbor.v2.0.0 other-channel: the Subscription follows channel stable: change spec.channel to install it',
      ],
    },
    {
      because: 'it is in another catalog',
      catalogs: [shelf(v1), sampleCatalog('attic', samplePackage('harbor', v2))],
      newer: [
        'harbor.v2.0.0 other-catalog: a Subscription gets updates only from its own catalog, olm/shelf: change spec.source and spec.sourceNamespace to install it',
      ],
    },
    {
      because: 'its requirement is not met',
      catalogs: [shelf(v1, sampleEntry('harbor', '2.0.0', [needsPackage('mill', '>=1.0.0')], replaces('1.0.0')))],
      newer: [
        'harbor.v2.0.0 requirements: it needs package mill in >=1.0.0, but no catalog available to this namespace provides it',
      ],
    },
    {
      because: 'it is deprecated',
      catalogs: [shelf(v1, sampleEntry('harbor', '2.0.0', [{ type: 'olm.deprecated', value: {} }], replaces('1.0.0')))],
      newer: ['harbor.v2.0.0 requirements: it is marked as deprecated (property olm.deprecated)'],
    },
    {
      because: 'no edge of the graph leads there',
      catalogs: [
        shelf(
          sampleEntry('harbor', '2.0.0', [], {
            ...replaces('1.9.0'),
            skipRange: '>=1.5.0 <2.0.0',
            skips: ['harbor.v1.8.0'],
          }),
        ),
      ],
      newer: [
        'harbor.v2.0.0 no-edge: there is no upgrade from harbor.v1.0.0: it replaces harbor.v1.9.0, skips harbor.v1.8.0, and its skipRange >=1.5.0 <2.0.0 does not include 1.0.0',
      ],
    },
    {
      because: 'a later one skips it',
      catalogs: [
        shelf(
          v1,
          v2,
          sampleEntry('harbor', '1.5.0', [], replaces('1.0.0')),
          sampleEntry('harbor', '3.0.0', [providesApi('No'), needsApi('Never')], {
            ...replaces('1.0.0'),
            skips: ['harbor.v2.0.0', 'harbor.v1.5.0'],
          }),
        ),
      ],
      newer: [
        'harbor.v3.0.0 requirements: it needs API Never (sample.test/v1), but no catalog available to this namespace provides it',
        'harbor.v2.0.0 skipped: harbor.v3.0.0 skips it',
        'harbor.v1.5.0 skipped: harbor.v3.0.0 skips it',
      ],
    },
  ])('$because', ({ catalogs, newer }) => {
    const reported = outlook(running, ...catalogs).newer.map(
      ({ name, hindrance, because }) => `${name} ${hindrance}: ${because}`,
    );
    expect(reported).toEqual(newer);
  });

  it('names the neighbour that keeps the installed version in use', () => {
    const light = sampleEntry('harbor', '1.0.0', [providesApi('Light')]);
    const crane = sampleEntry('crane', '1.0.0', [needsApi('Light')]);
    const desiredNamespace = {
      subscriptions: [
        sampleSubscription('crane', { installedCSV: crane.name, currentCSV: crane.name }),
        at(light.name),
      ],
      csvs: [csv(crane), csv(light)],
    };
    const catalog = sampleCatalog('shelf', samplePackage('harbor', light, v2), samplePackage('crane', crane));
    expect(outlook(desiredNamespace, catalog).newer.map(({ because }) => because)).toEqual([
      'it cannot be installed together with harbor.v1.0.0 (installed) and harbor.v1.0.0 (channel stable of catalog olm/shelf): both are of package harbor, and crane.v1.0.0 needs API Light (sample.test/v1)',
    ]);
  });

  it('does not read catalogs that the namespace does not see', () => {
    const elsewhere = {
      ...sampleCatalog('attic', samplePackage('harbor', v2)),
      key: { namespace: 'other', name: 'attic' },
    };
    expect(outlook(running, shelf(v1), elsewhere).newer).toEqual([]);
  });

  it('says why a first install does not take the head', () => {
    const desiredNamespace = { subscriptions: [sampleSubscription('harbor')] };
    const head = sampleEntry('harbor', '2.0.0', [needsApi('Light')], replaces('1.0.0'));
    expect(renderOutlook(outlook(desiredNamespace, shelf(v1, head)))).toBe(
      [
        'Subscription harbor has nothing installed and gets harbor.v1.0.0. Newer versions and their obstacles:',
        '  harbor.v2.0.0 (channel stable of catalog olm/shelf): it needs API Light (sample.test/v1), but no catalog available to this namespace provides it',
      ].join('\n'),
    );
  });

  it('names all of the package where the Subscription has another one installed, whatever the versions', () => {
    const heron = sampleEntry('heron', '3.0.0');
    const moved = { subscriptions: [at(heron.name)], csvs: [csv(heron)] };
    const fast = sampleEntry('harbor', '4.0.0', [], { channel: 'fast' });
    expect(renderOutlook(outlook(moved, shelf(v1, v2, fast)))).toBe(
      [
        'Subscription harbor has heron.v3.0.0, a bundle of package heron. Versions of package harbor and their obstacles:',
        '  harbor.v4.0.0 (channel fast of catalog olm/shelf): the Subscription follows channel stable: change spec.channel to install it',
        '  harbor.v2.0.0 (channel stable of catalog olm/shelf): there is no upgrade from heron.v3.0.0: it replaces harbor.v1.0.0',
        '  harbor.v1.0.0 (channel stable of catalog olm/shelf): there is no upgrade from heron.v3.0.0: it replaces nothing',
        'To change the package, delete the Subscription and ClusterServiceVersion heron.v3.0.0, and create the Subscription again.',
      ].join('\n'),
    );
  });

  it('says what comes where the other package leads on from what is installed', () => {
    const heron = sampleEntry('heron', '3.0.0');
    const moved = { subscriptions: [at(heron.name)], csvs: [csv(heron)] };
    const next = sampleEntry('harbor', '1.0.0', [], { replaces: 'heron.v3.0.0' });
    expect(renderOutlook(outlook(moved, shelf(next)))).toBe(
      'Subscription harbor has heron.v3.0.0 and gets harbor.v1.0.0: no catalog available to this namespace has a newer version.',
    );
  });

  it('says so when all is as new as can be', () => {
    expect(renderOutlook(outlook(running, shelf(v1)))).toBe(
      'Subscription harbor has harbor.v1.0.0: no catalog available to this namespace has a newer version.',
    );
  });
});
