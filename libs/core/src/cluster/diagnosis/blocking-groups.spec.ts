import { describe, expect, it } from 'vitest';
import { CSV_API } from '../../kernel/api/cluster-service-version.js';
import { INSTALL_PLAN_API } from '../../kernel/api/install-plan.js';
import { OPERATOR_GROUP_API } from '../../kernel/api/operator-group.js';
import { SUBSCRIPTION_API } from '../../kernel/api/subscription.js';
import { clusterFindings } from './cluster-findings.js';

const found = (groups: readonly string[]) =>
  clusterFindings({
    globalCatalogNamespace: 'olm',
    catalogSources: [],
    subscriptions: ['lamp', 'mill'].map((name) => ({
      ...SUBSCRIPTION_API,
      metadata: { name, namespace: 'team' },
      spec: { name, source: 'c', sourceNamespace: 'olm' },
      status: { installPlanRef: { name: 'install-1' } },
    })),
    installPlans: [
      {
        ...INSTALL_PLAN_API,
        metadata: { name: 'install-1', namespace: 'team' },
        spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['lamp.v1'] },
        status: {
          phase: 'RequiresApproval',
          catalogSources: [],
          conditions: [{ type: 'Installed', status: 'False', reason: 'InstallCheckFailed', message: 'count=2' }],
        },
      },
    ],
    csvs: [
      {
        ...CSV_API,
        metadata: { name: 'lamp.v1', namespace: 'team' },
        spec: {},
        status: { phase: 'Failed', reason: groups.length === 0 ? 'NoOperatorGroup' : 'TooManyOperatorGroups' },
      },
    ],
    operatorGroups: groups.map((name) => ({ ...OPERATOR_GROUP_API, metadata: { name, namespace: 'team' } })),
    conditioned: [],
  });

describe('OperatorGroups that stop a namespace', () => {
  it('are one finding, with all Subscriptions that wait', () => {
    expect(found(['a', 'b'])).toEqual([
      {
        ...{
          kind: 'OperatorGroup',
          namespace: 'team',
          name: 'a',
          code: 'several-operator-groups',
          standing: 'blocked',
        },
        because: [
          'There are 2 OperatorGroups in namespace team (a, b): nothing is resolved there.',
          'It blocks Subscriptions lamp, mill.',
        ],
        todo: [expect.stringContaining('kubectl -n team delete operatorgroup b')],
      },
    ]);
  });

  it('that are missing are a finding at the Namespace', () => {
    expect(found([])).toMatchObject([
      {
        kind: 'Namespace',
        name: 'team',
        because: [/There is no OperatorGroup/, /lamp, mill/].map((one) => expect.stringMatching(one)),
      },
    ]);
  });

  it('that are well again hide nothing', () => {
    expect(found(['a']).map(({ kind, name }) => `${kind} ${name}`)).toContain('ClusterServiceVersion lamp.v1');
  });
});
