import { describe, expect, it } from 'vitest';
import { indexCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import type { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import { objectOf } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { type NamespaceSnapshot, observeNamespace } from './observe-namespace.js';

const LAMP = samplePackage('lamp', sampleEntry('lamp', '1.0.0'));
const subscription = (status?: object, spec: object = {}): Subscription =>
  objectOf('Subscription', 'lamp', 'shop', {
    spec: { name: 'lamp', channel: 'stable', source: 'shelf', sourceNamespace: 'olm', ...spec },
    ...(status && { status }),
  }) as unknown as Subscription;
const group = (name = 'group', annotations: Record<string, string> = {}) =>
  objectOf('OperatorGroup', name, 'shop', { metadata: { annotations } }) as unknown as OperatorGroup;
type Parts = Readonly<{
  settled?: boolean;
  failure?: string;
  priority?: number;
  packages?: readonly (typeof LAMP)[] | undefined;
}>;
function catalog(
  place = 'olm/shelf',
  { settled = true, failure, priority, packages = [LAMP] }: Parts = {},
): CatalogRefresh {
  const [namespace = '', name = ''] = place.split('/');
  const spec = { sourceType: 'grpc', image: 'registry.test/shelf:1', ...(priority === undefined ? {} : { priority }) };
  const loaded = { digest: 'd', content: 'c', index: indexCatalog(packages), packages: packages.length };
  return {
    source: objectOf('CatalogSource', name, namespace, { spec }),
    settled,
    failure,
    loaded,
  } as unknown as CatalogRefresh;
}
const snapshot = (parts: Partial<NamespaceSnapshot> = {}): NamespaceSnapshot => ({
  ...{ namespace: 'shop', globalCatalogNamespace: 'olm', csvs: [] },
  ...{ subscriptions: [subscription()], operatorGroups: [group()], catalogs: [catalog()] },
  ...parts,
});
const WAITING = { state: 'UpgradePending', installPlanRef: { name: 'install-1' } };

describe('what of a namespace is a question to the resolver', () => {
  it.each<{ parts: Partial<NamespaceSnapshot>; because: string }>([
    { parts: { subscriptions: [] }, because: 'there is no Subscription' },
    { parts: { operatorGroups: [] }, because: 'there is no OperatorGroup (subscriptions.md §2.3)' },
    {
      parts: { operatorGroups: [group(), group('second')] },
      because: 'there are two OperatorGroups (subscriptions.md §2.3)',
    },
    {
      parts: { subscriptions: [subscription(WAITING)] },
      because: 'every Subscription waits for its plan (subscriptions.md §2.5)',
    },
    {
      parts: { catalogs: [catalog(), catalog('shop/own', { settled: false })] },
      because: 'a visible catalog has not answered yet',
    },
  ])('nothing where $because', ({ parts }) => {
    expect(observeNamespace(snapshot(parts))).toBeUndefined();
  });

  it('one Subscription that does not wait is enough', () => {
    const other = { ...subscription(), metadata: { name: 'other', namespace: 'shop' } };
    expect(observeNamespace(snapshot({ subscriptions: [subscription(WAITING), other] }))).toBeDefined();
  });

  it('the desired state as the applier reads it, the packages that it can reach, and their records', () => {
    const state = snapshot({ csvs: [lampCsv('shop') as unknown as ClusterServiceVersion] });
    const observed = observeNamespace(state);
    expect(observed?.problem.wishes).toEqual(desiredNamespaceOf(state));
    expect(observed?.problem.catalogs).toMatchObject([
      { key: { namespace: 'olm', name: 'shelf' }, priority: 0, packages: [{ name: 'lamp' }] },
    ]);
    const [record] = observed?.problem.catalogs.flatMap(({ packages }) => packages) ?? [];
    expect(observed?.records.get(record?.record ?? '')).toEqual(LAMP);
    expect(observed?.hash).toBe(observed && problemHash(observed.problem));
  });

  it('packages that nothing leads to are no part of it: their change asks no new question', () => {
    const wick = samplePackage('wick', sampleEntry('wick', '1.0.0'));
    const before = observeNamespace(snapshot());
    const after = observeNamespace(snapshot({ catalogs: [catalog('olm/shelf', { packages: [LAMP, wick] })] }));
    expect(after?.hash).toBe(before?.hash);
  });

  it('catalogs in any order are one question; another priority, or a failure, is another', () => {
    const [a, b] = [catalog('olm/a'), catalog('olm/b')];
    const hashOf = (...catalogs: readonly CatalogRefresh[]) => observeNamespace(snapshot({ catalogs }))?.hash;
    expect(hashOf(b, catalog(), a)).toBe(hashOf(a, b, catalog()));
    expect(hashOf(catalog('olm/shelf', { priority: 5 }))).not.toBe(hashOf(catalog()));
    expect(hashOf(catalog('olm/shelf', { failure: 'no registry client' }))).not.toBe(hashOf(catalog()));
  });

  it('a catalog that failed is named with its failure, as OLM does', () => {
    const observed = observeNamespace(
      snapshot({ catalogs: [catalog('olm/shelf', { failure: 'no registry client' })] }),
    );
    expect(observed?.problem.catalogs).toMatchObject([{ failure: 'no registry client' }]);
  });

  it('a group that excludes the global catalogs does not see them (operator-groups.md §7)', () => {
    const excluding = group('group', { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' });
    const observed = observeNamespace(
      snapshot({ operatorGroups: [excluding], catalogs: [catalog(), catalog('shop/own')] }),
    );
    expect(observed?.problem.catalogs.map(({ key }) => key.namespace)).not.toContain('olm');
  });
});
