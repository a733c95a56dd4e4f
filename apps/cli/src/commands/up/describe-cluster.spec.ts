import { describe, expect, it } from 'vitest';
import type { OlmSign } from '#core/cluster/joining/olm-signs';
import type { CheckedCluster, ReachedCluster } from './check-cluster.js';
import { describeCluster, describeSameClusters } from './describe-cluster.js';

const nothing = { cluster: 'east', installed: [], upgraded: [], left: [], refused: [], awaited: [] };
const reached = (facts: Partial<ReachedCluster>): ReachedCluster => ({
  cluster: 'east',
  reached: true,
  version: 'v1.34.4',
  globalCatalogNamespace: 'olm',
  management: { acts: true, signs: [] },
  joined: nothing,
  ...facts,
});
const refused = [
  { object: 'CustomResourceDefinition a', because: 'customresourcedefinitions is forbidden: User "guest"' },
];
const signs: readonly OlmSign[] = [
  { kind: 'deployment', namespace: 'olm', name: 'olm-operator' },
  { kind: 'deployment', namespace: 'olm', name: 'catalog-operator' },
];

const cases: readonly (readonly [why: string, check: CheckedCluster, lines: readonly (string | RegExp)[]])[] = [
  [
    'nothing to do, nothing to warn of',
    reached({}),
    ['  east    Kubernetes v1.34.4 · global catalogs in namespace olm · CRDs of OLM are installed'],
  ],
  [
    'an OpenShift cluster has its global catalogs elsewhere',
    reached({ globalCatalogNamespace: 'openshift-marketplace' }),
    [/global catalogs in namespace openshift-marketplace/],
  ],
  [
    'CRDs were installed or upgraded',
    reached({
      joined: {
        ...nothing,
        installed: ['CustomResourceDefinition a', 'Namespace operators'],
        upgraded: ['CustomResourceDefinition b'],
      },
    }),
    [/· 2 CRDs of OLM installed$/],
  ],
  [
    'CRDs could not be installed: why, and what to do',
    reached({ joined: { ...nothing, refused } }),
    [
      /· CRDs of OLM are missing$/,
      /WARNING: CustomResourceDefinition a could not be .*"guest"$/,
      /kubectl --context east apply/,
    ],
  ],
  [
    'something else could not be installed: the CRDs are there',
    reached({
      joined: { ...nothing, refused: [{ object: 'ClusterRole x', because: 'forbidden' }, ...refused.slice(1)] },
    }),
    [
      /· CRDs of OLM are installed$/,
      /WARNING: ClusterRole x could not be installed: forbidden$/,
      /kubectl --context east apply/,
    ],
  ],
  [
    'new definitions are not served yet: no right is asked for',
    reached({
      joined: {
        ...nothing,
        installed: ['CustomResourceDefinition a'],
        awaited: [
          { object: 'OperatorGroup operators/global-operators', because: 'g/v1 OperatorGroup is not served yet' },
          { object: 'OLMConfig cluster', because: 'g/v1 OLMConfig is not served yet' },
        ],
      },
    }),
    [
      /· 1 CRD of OLM installed$/,
      /^ {10}OperatorGroup operators\/global-operators and 1 more will be installed soon: g\/v1 OperatorGroup is not served yet$/,
    ],
  ],
  [
    'joining is switched off',
    { ...reached({}), joined: undefined },
    [/CRDs of OLM are not managed \(FLOTILLA_JOIN_INSTALL\)$/],
  ],
  [
    'OLM itself is at work: nothing is done, and the command that stops it',
    { ...reached({ management: { acts: false, signs, because: 'OLM itself is at work there' } }), joined: undefined },
    [
      /Kubernetes .* · left alone$/,
      /WARNING: OLM itself is at work there/,
      /kubectl --context east -n olm scale --replicas=0 deployment\/olm-operator deployment\/catalog-operator$/,
    ],
  ],
  [
    'both act, since somebody said so: said again, since it is dangerous',
    reached({ management: { acts: true, signs } }),
    [/Kubernetes/, /WARNING: .*\(deployment olm\/olm-operator, deployment olm\/catalog-operator\); both act/],
  ],
  [
    'nobody may look for OLM: nothing to scale',
    {
      ...reached({ management: { acts: false, signs: [], because: 'deployments.apps is\nforbidden' } }),
      joined: undefined,
    },
    [/left alone/, /WARNING: deployments.apps is; forbidden/],
  ],
  [
    'an error over several lines stays on one',
    { cluster: 'east', reached: false, because: 'connect failed\n  twice' },
    ['  east    unreachable, retrying: connect failed; twice'],
  ],
];

describe('the description of a cluster', () => {
  it.each(cases)('%s', (_why, check, lines) => {
    const reported = describeCluster(check, 6);
    expect(reported).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(reported[index]).toMatch(line);
  });

  it('names two contexts that lead to one cluster, but not clusters that differ or are unknown', () => {
    const checks = [
      reached({ cluster: 'east', identity: 'one' }),
      reached({ cluster: 'west', identity: 'two' }),
      reached({ cluster: 'east-admin', identity: 'one' }),
      reached({ cluster: 'hidden' }),
      reached({ cluster: 'hidden-too' }),
    ];
    expect(describeSameClusters(checks)).toEqual([
      '  WARNING: east and east-admin are the same cluster; choose one of them with --context',
    ]);
  });
});
