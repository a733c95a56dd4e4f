import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { type HandoverFacts, handoverFindings } from './handover-findings.js';
import { workloadChanges, workloadOf } from './workloads.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const object = (kind: string, name: string, rest: Record<string, unknown>): KubernetesObject => ({
  apiVersion: V1ALPHA1,
  kind,
  metadata: { name, namespace: 'team' },
  ...rest,
});
const plan = (phase: string) => object('InstallPlan', 'install-1', { status: { phase } });
const csv = (phase: string) => object('ClusterServiceVersion', 'mill.v1', { status: { phase } });
const catalog = (spec: Record<string, unknown>) => object('CatalogSource', 'shelf', { spec });
const REST: HandoverFacts = {
  isOpenShift: false,
  plans: [plan('Complete')],
  csvs: [csv('Succeeded')],
  catalogs: [catalog({ image: 'r.example/shelf:1' })],
  newerDefinitions: [],
  choices: new Map(),
  unread: [],
};
const lines = (facts: Partial<HandoverFacts>) =>
  handoverFindings({ ...REST, ...facts }).map(({ kind, text }) => `${kind}: ${text}`);

describe('what speaks against a hand-over from OLM', () => {
  it.each<[because: string, facts: Partial<HandoverFacts>, found: readonly string[]]>([
    ['a cluster at rest', {}, []],
    [
      'a plan under way',
      { plans: [plan('Installing')] },
      ['refusal: InstallPlan team/install-1 is under way (Installing): wait until it ends'],
    ],
    [
      'a CSV under way',
      { csvs: [csv('Replacing')] },
      ['refusal: ClusterServiceVersion team/mill.v1 is Replacing: wait until OLM has finished'],
    ],
    [
      'a plan that waits',
      { plans: [plan('RequiresApproval')] },
      ['note: InstallPlan team/install-1 waits for approval, and will'],
    ],
    [
      'a failed plan',
      { plans: [plan('Failed')] },
      ['note: InstallPlan team/install-1 has failed: the hub retries its step'],
    ],
    [
      'a failed CSV',
      { csvs: [csv('Failed')] },
      ['note: ClusterServiceVersion team/mill.v1 is Failed: the hub continues its installation'],
    ],
    [
      'a registry server of the cluster',
      { catalogs: [catalog({ address: 'shelf.team.svc:50051' })] },
      [
        'refusal: CatalogSource team/shelf has address shelf.team.svc:50051, a name inside the cluster: use an address that the hub can reach',
      ],
    ],
    ['one outside', { catalogs: [catalog({ address: 'shelf.example.com:50051' })] }, []],
    [
      'content that cannot be read',
      { unread: ['olm/shelf: no login'] },
      ['refusal: a catalog could not be read from here: olm/shelf: no login'],
    ],
    [
      'another choice',
      { choices: new Map([['team', ['mill.v2']]]) },
      ['refusal: the hub would at once install in namespace team: mill.v2'],
    ],
    [
      'a newer definition',
      { newerDefinitions: ['CustomResourceDefinition a'] },
      ['note: CustomResourceDefinition a is newer than the definition of the hub and stays'],
    ],
  ])('%s', (_, facts, found) => {
    expect(lines(facts)).toEqual(found);
  });

  it('on OpenShift nothing else is checked: OLM cannot leave', () => {
    expect(lines({ isOpenShift: true, plans: [plan('Installing')] })).toEqual([
      expect.stringMatching(/^refusal: OLM is a part of OpenShift/),
    ]);
  });

  it('copies of a CSV do not count', () => {
    const copied = csv('Installing');
    const labels = { 'olm.copiedFrom': 'elsewhere' };
    expect(lines({ csvs: [{ ...copied, metadata: { ...copied.metadata, labels } }] })).toEqual([]);
  });
});

describe('whether operators run on as they did', () => {
  const deployment = (uid: string, generation: number) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'mill', namespace: 'team', uid, generation },
  });
  const pod = (uid: string, restartCount: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'mill-1', namespace: 'team', uid },
    status: { containerStatuses: [{ restartCount }] },
  });
  const before = workloadOf(deployment('d', 1), [pod('p', 0)]);

  it.each([
    { because: 'nothing changed', after: [workloadOf(deployment('d', 1), [pod('p', 0)])], changes: [] },
    { because: 'it is gone', after: [], changes: ['Deployment team/mill is gone'] },
    {
      because: 'it was recreated',
      after: [workloadOf(deployment('e', 1), [])],
      changes: ['Deployment team/mill was recreated'],
    },
    {
      because: 'it was changed',
      after: [workloadOf(deployment('d', 2), [pod('p', 0)])],
      changes: ['Deployment team/mill was changed'],
    },
    {
      because: 'a pod is gone',
      after: [workloadOf(deployment('d', 1), [])],
      changes: ['pod mill-1 of Deployment team/mill is gone'],
    },
    {
      because: 'another pod has its name',
      after: [workloadOf(deployment('d', 1), [pod('q', 0)])],
      changes: ['pod mill-1 of Deployment team/mill is gone'],
    },
    {
      because: 'a container was restarted',
      after: [workloadOf(deployment('d', 1), [pod('p', 1)])],
      changes: ['pod mill-1 of Deployment team/mill was restarted'],
    },
  ])('$because', ({ after, changes }) => {
    expect(workloadChanges([before], after)).toEqual(changes);
  });
});
