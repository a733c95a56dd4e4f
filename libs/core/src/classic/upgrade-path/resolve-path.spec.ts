import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { sliceCatalogs } from '../resolution/problem/catalog-slice.js';
import { desiredNamespaceOf } from '../resolution/problem/desired-namespace.js';
import type { DesiredNamespace } from '../resolution/problem/resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleSubscription,
} from '../resolution/sample-problem.fixture.js';
import { afterHop, MOST_HOPS, resolvePath } from './resolve-path.js';
import { at, having, version } from './sample-path.fixture.js';

function pathOf(desired: DesiredNamespace, ...packages: readonly PackageRecord[]) {
  const { slices, records } = sliceCatalogs(desired, [sampleCatalog('shelf', ...packages)]);
  const problem = { v: 1, wishes: desired, catalogs: slices } as const;
  return resolvePath(problem, (hash) => records.get(hash) ?? samplePackage(hash));
}

const namesOf = ({ hops }: ReturnType<typeof pathOf>) =>
  hops.map(({ resolution: { chosen } }) => chosen.flatMap(({ name, upToDate }) => (upToDate === true ? [] : [name])));

describe('the path of a namespace', () => {
  const mill = samplePackage(
    'mill',
    version('mill', '1.0.0'),
    version('mill', '1.1.0', '1.0.0'),
    version('mill', '1.2.0', '1.1.0'),
  );

  it('has a hop for each InstallPlan', () => {
    expect(namesOf(pathOf(having(at('mill', '1.0.0')), mill))).toEqual([['mill.v1.1.0'], ['mill.v1.2.0']]);
  });

  it('is empty where nothing moves, and has one hop for a first install', () => {
    expect(pathOf(having(at('mill', '1.2.0')), mill)).toEqual({ hops: [] });
    const first = sampleNamespace({ subscriptions: [sampleSubscription('mill')] });
    expect(namesOf(pathOf(first, mill))).toEqual([['mill.v1.2.0']]);
  });

  it('begins with the plan that waits already', () => {
    const waiting = at('mill', '1.0.0');
    const subscription = { ...waiting.subscription, currentCSV: 'mill.v1.1.0' };
    const { hops } = pathOf(having({ ...waiting, subscription }), mill);
    expect(hops.flatMap(({ moves }) => moves)).toEqual([
      { subscription: 'mill', from: 'mill.v1.0.0', to: 'mill.v1.1.0' },
      { subscription: 'mill', from: 'mill.v1.1.0', to: 'mill.v1.2.0' },
    ]);
  });

  it('brings what a later hop needs with that hop', () => {
    const needy = samplePackage(
      'mill',
      version('mill', '1.0.0'),
      version('mill', '1.1.0', '1.0.0'),
      version('mill', '1.2.0', '1.1.0', [needsApi('Wind')]),
    );
    const wind = samplePackage('wind', sampleEntry('wind', '0.1.0', [providesApi('Wind')]));
    const found = pathOf(having(at('mill', '1.0.0')), needy, wind);
    expect(namesOf(found)).toEqual([['mill.v1.1.0'], ['mill.v1.2.0', 'wind.v0.1.0']]);
    expect(found.hops[1]?.resolution.subscriptionsCreated).toHaveLength(1);
    // What was brought is installed by then: nothing is brought a second time.
    expect(found.hops).toHaveLength(2);
  });

  it('ends before a version that nothing satisfies', () => {
    const stuck = samplePackage(
      'mill',
      version('mill', '1.0.0'),
      version('mill', '1.1.0', '1.0.0'),
      version('mill', '1.2.0', '1.1.0', [needsPackage('nobody', '>=1.0.0')]),
    );
    expect(namesOf(pathOf(having(at('mill', '1.0.0')), stuck))).toEqual([['mill.v1.1.0']]);
  });

  it('moves neighbours each by its own steps, together', () => {
    const saw = samplePackage('saw', version('saw', '1.0.0'), version('saw', '1.1.0', '1.0.0'));
    const both = having(at('mill', '1.0.0'), at('saw', '1.0.0'));
    expect(namesOf(pathOf(both, mill, saw))).toEqual([['mill.v1.1.0', 'saw.v1.1.0'], ['mill.v1.2.0']]);
  });

  it('says what is answered where there is no solution', () => {
    const none = sampleNamespace({ subscriptions: [sampleSubscription('nobody')] });
    expect(pathOf(none, mill)).toMatchObject({ hops: [], ends: { result: 'unsatisfiable' } });
  });

  it('ends after twenty hops', () => {
    const many = Array.from({ length: 30 }, (_, n) => version('mill', `1.${n}.0`, n === 0 ? '' : `1.${n - 1}.0`));
    expect(pathOf(having(at('mill', '1.0.0')), samplePackage('mill', ...many)).hops).toHaveLength(MOST_HOPS);
  });

  it('leaves a namespace as one reads in a cluster after the upgrade', () => {
    const before = having(at('mill', '1.0.0'));
    const [hop] = pathOf(before, mill).hops;
    const after = having(at('mill', '1.1.0'));
    const [csv] = after.csvs;
    expect(hop && afterHop(before, hop)).toEqual(after);
    const read = desiredNamespaceOf({
      ...{ namespace: 'team', globalCatalogNamespace: 'olm', operatorGroups: [], subscriptions: [] },
      csvs: [
        {
          ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' },
          metadata: {
            name: 'mill.v1.1.0',
            annotations: { 'operatorframework.io/properties': csv?.propertiesAnnotation },
          },
          spec: { version: '1.1.0', replaces: 'mill.v1.0.0' },
        },
      ] as never,
    });
    expect(read.csvs).toEqual(after.csvs);
  });
});
