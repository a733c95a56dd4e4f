import { describe, expect, it } from 'vitest';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { withCatalogHealth } from './catalog-health.js';
import type { SubscriptionChange } from './subscription-change.js';

const source = (
  name: string,
  state: string | undefined,
  more: { namespace?: string; uid?: string; reason?: string } = {},
): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name, namespace: more.namespace ?? 'harbour', uid: more.uid ?? `uid-${name}` },
  spec: { sourceType: 'grpc' },
  status: {
    ...(state === undefined ? {} : { connectionState: { lastObservedState: state } }),
    ...(more.reason === undefined ? {} : { reason: more.reason }),
  },
});
const subscription = (status: Subscription['status'] = {}): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'tug', namespace: 'harbour' },
  spec: { name: 'tug', source: 'shelf', sourceNamespace: 'harbour' },
  status,
});
const NOW = '2026-01-01T00:00:00Z';
const reported = ({ status }: SubscriptionChange): string => {
  const condition = status.conditions?.find(({ type }) => type === 'CatalogSourcesUnhealthy');
  return `${condition?.status}/${condition?.reason}: ${condition?.message}`;
};
const all = 'all available catalogsources are healthy';

/**
 * Applies one list of catalogs after the other; gives the condition each time, with `=`
 * where nothing was written.
 */
function passes(...lists: CatalogSource[][]): string[] {
  let current = subscription();
  return lists.map((list) => {
    const change = withCatalogHealth(current, list, NOW);
    current = { ...current, status: change.status };
    return change.changed ? reported(change) : '=';
  });
}

describe('subscriptions.md §4, CatalogSourcesUnhealthy', () => {
  const other = (state: string) => source('other', state);
  const shelf = (state: string) => source('shelf', state);
  const unhealthy = 'UnhealthyCatalogSourceFound';
  it.each<[situation: string, before: CatalogSource[], lists: CatalogSource[], settled: string]>([
    [
      'targeted source absent from the list',
      [],
      [other('READY')],
      `True/${unhealthy}: targeted catalogsource harbour/shelf missing`,
    ],
    [
      'targeted source unhealthy',
      [],
      [shelf('TRANSIENT_FAILURE'), other('READY')],
      `True/${unhealthy}: targeted catalogsource harbour/shelf unhealthy`,
    ],
    [
      'only others unhealthy: named, where OLM leaves the message as it was',
      [shelf('READY')],
      [shelf('READY'), other('CONNECTING')],
      `True/${unhealthy}: catalogsource harbour/other unhealthy`,
    ],
    [
      'many others unhealthy: three of them named',
      [shelf('READY')],
      [shelf('READY'), ...['a', 'b', 'c', 'd', 'e'].map((name) => source(name, 'TRANSIENT_FAILURE'))],
      `True/${unhealthy}: catalogsources harbour/a, harbour/b, harbour/c and 2 more unhealthy`,
    ],
    ['all healthy', [], [shelf('READY'), other('IDLE')], `False/AllCatalogSourcesHealthy: ${all}`],
    [
      'no source at all, before and now',
      [],
      [],
      'True/NoCatalogSourcesFound: dependency resolution requires at least one catalogsource',
    ],
  ])('%s', (_situation, before, list, settled) => {
    let current = subscription();
    for (const seen of [before, list, list, list])
      current = { ...current, status: withCatalogHealth(current, seen, NOW).status };
    expect(reported({ subscription: current, status: current.status ?? {}, changed: true })).toBe(settled);
  });

  it.each<[change: string, before: CatalogSource[], after: CatalogSource[], reason: string]>([
    ['more entries', [shelf('READY')], [shelf('READY'), other('READY')], 'CatalogSourcesAdded'],
    ['fewer', [shelf('READY'), other('READY')], [shelf('READY')], 'CatalogSourcesDeleted'],
    ['fewer: none is left', [shelf('READY')], [], 'CatalogSourcesDeleted'],
    ['none', [], [], 'NoCatalogSourcesFound'],
    [
      'same count but different uid',
      [shelf('READY')],
      [source('shelf', 'READY', { uid: 'new' })],
      'CatalogSourcesUpdated',
    ],
    ['same count but different health', [shelf('READY')], [shelf('SHUTDOWN')], 'CatalogSourcesUpdated'],
  ])('reason overridden by a change against the stored list: %s', (_change, before, after, reason) => {
    const current = subscription(withCatalogHealth(subscription(), before, NOW).status);
    expect(reported(withCatalogHealth(current, after, NOW))).toContain(`/${reason}: `);
  });

  it.each<[why: string, lists: CatalogSource[][], reported: string[]]>([
    [
      'a new Subscription, as recorded',
      [[source('shelf', 'READY')], [source('shelf', 'READY')], [source('shelf', 'READY')]],
      [`False/CatalogSourcesAdded: ${all}`, `False/AllCatalogSourcesHealthy: ${all}`, '='],
    ],
    [
      'no catalog, then one with an invalid spec, then repaired, as recorded',
      [
        [],
        [],
        ...[1, 2].map(() => [source('shelf', undefined, { reason: 'SpecInvalidError' })]),
        ...[1, 2].map(() => [source('shelf', 'READY')]),
      ],
      [
        'True/NoCatalogSourcesFound: dependency resolution requires at least one catalogsource',
        '=',
        'True/CatalogSourcesAdded: targeted catalogsource harbour/shelf unhealthy',
        'True/UnhealthyCatalogSourceFound: targeted catalogsource harbour/shelf unhealthy',
        `False/CatalogSourcesUpdated: ${all}`,
        `False/AllCatalogSourcesHealthy: ${all}`,
      ],
    ],
    [
      'the targeted one is not there',
      [[source('other', 'READY')]],
      ['True/CatalogSourcesAdded: targeted catalogsource harbour/shelf missing'],
    ],
    [
      'one of the same name elsewhere is another',
      [[source('shelf', 'READY', { namespace: 'olm' })]],
      ['True/CatalogSourcesAdded: targeted catalogsource harbour/shelf missing'],
    ],
    [
      'its first pull is still going on',
      [[source('shelf', 'CONNECTING')]],
      ['True/CatalogSourcesAdded: targeted catalogsource harbour/shelf unhealthy'],
    ],
    ['an idle connection is fine', [[source('shelf', 'IDLE')]], [`False/CatalogSourcesAdded: ${all}`]],
    [
      'only another one is unhealthy: the message names it',
      [
        [source('shelf', 'READY'), source('other', 'READY')],
        [source('shelf', 'READY'), source('other', 'TRANSIENT_FAILURE')],
      ],
      [`False/CatalogSourcesAdded: ${all}`, 'True/CatalogSourcesUpdated: catalogsource harbour/other unhealthy'],
    ],
    [
      'one goes',
      [[source('shelf', 'READY'), source('other', 'READY')], [source('shelf', 'READY')]],
      [`False/CatalogSourcesAdded: ${all}`, `False/CatalogSourcesDeleted: ${all}`],
    ],
    [
      're-created under the same name',
      [[source('shelf', 'READY')], [source('shelf', 'READY')], [source('shelf', 'READY', { uid: 'new' })]],
      [
        `False/CatalogSourcesAdded: ${all}`,
        `False/AllCatalogSourcesHealthy: ${all}`,
        `False/CatalogSourcesUpdated: ${all}`,
      ],
    ],
  ])('%s', (_why, lists, expected) => {
    expect(passes(...lists)).toEqual(expected);
  });

  it('are listed by namespace and name, and keep their time while they say the same', () => {
    const sources = [
      source('shelf', 'READY', { namespace: 'olm' }),
      source('zoo', 'READY'),
      source('attic', 'SHUTDOWN'),
    ];
    const first = withCatalogHealth(subscription(), sources, NOW);
    expect(
      first.status.catalogHealth?.map(({ catalogSourceRef: ref, healthy }) => [ref.namespace, ref.name, healthy]),
    ).toEqual([
      ['harbour', 'attic', false],
      ['harbour', 'zoo', true],
      ['olm', 'shelf', true],
    ]);
    const later = withCatalogHealth(
      subscription(first.status),
      [...sources.slice(0, 2), source('attic', 'READY')],
      '2026-02-01T00:00:00Z',
    );
    expect(later.status.catalogHealth?.map(({ lastUpdated }) => lastUpdated)).toEqual([
      '2026-02-01T00:00:00Z',
      NOW,
      NOW,
    ]);
    expect(later.status.lastUpdated).toBe('2026-02-01T00:00:00Z');
  });
});
