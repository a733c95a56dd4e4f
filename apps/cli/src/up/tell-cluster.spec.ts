import { describe, expect, it } from 'vitest';
import type { ClusterLook, ReachedCluster } from './look-at-cluster.js';
import { tellCluster, tellSameClusters } from './tell-cluster.js';

const reached = (facts: Partial<ReachedCluster>): ReachedCluster => ({
  cluster: 'east',
  reached: true,
  version: 'v1.34.4',
  globalCatalogNamespace: 'olm',
  crds: { cluster: 'east', installed: [] },
  olm: { running: [] },
  ...facts,
});
const forbidden = 'customresourcedefinitions is forbidden: User "guest" cannot create';

const cases: readonly (readonly [why: string, look: ClusterLook, lines: readonly (string | RegExp)[]])[] = [
  [
    'nothing to do, nothing to warn of',
    reached({}),
    ['  east    Kubernetes v1.34.4 · global catalogs in namespace olm · CRDs of OLM are there'],
  ],
  [
    'an OpenShift cluster has its global catalogs elsewhere',
    reached({ globalCatalogNamespace: 'openshift-marketplace' }),
    [/global catalogs in namespace openshift-marketplace/],
  ],
  [
    'CRDs were installed',
    reached({ crds: { cluster: 'east', installed: ['a', 'b'] } }),
    [/· 2 CRDs of OLM installed$/],
  ],
  [
    'CRDs could not be installed: why, and what to do',
    reached({ crds: { cluster: 'east', installed: ['a'], refused: forbidden } }),
    [/· CRDs of OLM are missing$/, /WARNING: .*\(after 1 that were\): customresource.*cannot create$/, /kubectl apply/],
  ],
  [
    'both Deployments of OLM run: the command that stops them',
    reached({
      olm: {
        running: [
          { namespace: 'olm', name: 'olm-operator' },
          { namespace: 'olm', name: 'catalog-operator' },
        ],
      },
    }),
    [
      /Kubernetes/,
      /WARNING: OLM itself runs there \(olm\/olm-operator, olm\/catalog-operator\)/,
      /kubectl --context east -n olm scale --replicas=0 deployment\/olm-operator deployment\/catalog-operator$/,
    ],
  ],
  [
    'nobody may look for OLM: said, since it may run',
    reached({ olm: { running: [], unknown: 'deployments.apps is forbidden' } }),
    [/Kubernetes/, /whether OLM itself runs there could not be seen: deployments.apps is forbidden/],
  ],
  [
    'an error over several lines stays on one',
    { cluster: 'east', reached: false, because: 'connect failed\n  twice' },
    ['  east    not reached, tried again until it is: connect failed; twice'],
  ],
];

describe('what is told of a cluster', () => {
  it.each(cases)('%s', (_why, look, lines) => {
    const told = tellCluster(look, 6);
    expect(told).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(told[index]).toMatch(line);
  });

  it('two contexts that lead to one cluster are told, clusters that differ or are unknown are not', () => {
    const looks = [
      reached({ cluster: 'east', identity: 'one' }),
      reached({ cluster: 'west', identity: 'two' }),
      reached({ cluster: 'east-admin', identity: 'one' }),
      reached({ cluster: 'hidden' }),
      reached({ cluster: 'hidden-too' }),
    ];
    expect(tellSameClusters(looks)).toEqual([
      '  WARNING: east and east-admin are one and the same cluster; choose one of them with --context',
    ]);
  });
});
