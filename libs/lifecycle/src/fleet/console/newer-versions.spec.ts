import { describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import type { NamespaceRead } from '../../classic/namespaces/namespace-read.js';
import type { SeenCatalog } from '../../classic/observation/observe-namespace.js';
import { newerVersions } from './newer-versions.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const subscription = (currentCSV: string) => ({
  ...{ apiVersion: V1ALPHA1, kind: 'Subscription', metadata: { name: 'harbor', namespace: 'shop' } },
  spec: { name: 'harbor', channel: 'stable', source: 'shelf', sourceNamespace: 'olm' },
  status: { installedCSV: 'harbor.v1.0.0', currentCSV },
});
const GROUP = { metadata: { name: 'shop', namespace: 'shop' }, spec: {} };
const CSV = {
  ...{ apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', metadata: { name: 'harbor.v1.0.0', namespace: 'shop' } },
  ...{ spec: { version: '1.0.0' }, status: { phase: 'Succeeded' } },
};

const replaces = (version: string) => ({ replaces: `harbor.v${version}` });
const SHELF = [
  sampleEntry('harbor', '1.0.0'),
  sampleEntry('harbor', '1.1.0', [], replaces('1.0.0')),
  sampleEntry('harbor', '1.2.0', [], replaces('1.1.0')),
  sampleEntry('harbor', '2.0.0', [], { ...replaces('1.2.0'), channel: 'candidate' }),
];

const catalog = (name: string, namespace: string, entries = SHELF) =>
  ({
    source: {
      ...{ apiVersion: V1ALPHA1, kind: 'CatalogSource', metadata: { name, namespace } },
      spec: { sourceType: 'grpc', image: 'registry.test/shelf:1' },
    },
    loaded: { index: indexCatalog([samplePackage('harbor', ...entries)]) },
    settled: true,
  }) as unknown as SeenCatalog;

const ask = (currentCSV: string, catalogs: readonly SeenCatalog[], isExplained = false) => {
  const read = {
    ...{ namespace: 'shop', globalCatalogNamespace: 'olm', operatorGroups: [GROUP], otherOperatorGroups: [] },
    ...{ installPlans: [], catalogSources: [], csvs: [CSV], subscriptions: [subscription(currentCSV)] },
  } as unknown as NamespaceRead;
  return newerVersions({ read, subscription: 'harbor', resolution: undefined, catalogs, isExplained });
};

describe('newer versions on the page of an operator', () => {
  it('are those of every channel, the newest first, each with what keeps it away', () => {
    expect(ask('harbor.v1.0.0', [catalog('shelf', 'olm')], true)).toEqual([
      {
        ...{ bundle: 'harbor.v2.0.0', version: '2.0.0', channel: 'candidate' },
        why: 'the Subscription follows channel stable: change spec.channel to install it',
      },
      {
        ...{ bundle: 'harbor.v1.2.0', version: '1.2.0', channel: 'stable' },
        why: 'reached through harbor.v1.1.0',
      },
      {
        ...{ bundle: 'harbor.v1.1.0', version: '1.1.0', channel: 'stable' },
        why: 'it can be next; the obstacle named above blocks it',
      },
    ]);
  });

  it('leave out what is the next one already', () => {
    const bundles = ask('harbor.v1.1.0', [catalog('shelf', 'olm')]).map(({ bundle }) => bundle);
    expect(bundles).toEqual(['harbor.v2.0.0', 'harbor.v1.2.0']);
  });

  it('name another catalog, and leave out what the namespace does not see', () => {
    const found = ask('harbor.v1.0.0', [catalog('other', 'olm', SHELF.slice(3)), catalog('other', 'elsewhere')]);
    expect(found).toMatchObject([{ version: '2.0.0', channel: 'candidate of olm/other' }]);
    expect(found[0]?.why).toContain('only from its own catalog');
  });

  it('are twelve at most', () => {
    const many = Array.from({ length: 40 }, (_, at) => sampleEntry('harbor', `3.${at}.0`, [], { channel: 'beta' }));
    expect(ask('harbor.v1.0.0', [catalog('shelf', 'olm', [...SHELF, ...many])])).toHaveLength(12);
  });
});
