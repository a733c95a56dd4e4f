import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import {
  type Dump,
  expectDeploymentSpecs,
  expectKind,
  expectRecorded,
  groupView,
  keyOf,
  phasesOf,
  recorded,
  replayOf,
  requirementStatus,
  runPlan,
  SAME_IN_THE_END,
  USUAL,
  verdict,
} from './csv-recording.js';

describe('scenarios recorded from OLM, replayed on the steps', () => {
  it.each([
    { scenario: 'install-automatic', because: 'the plain way to Succeeded' },
    { scenario: 'install-manual', because: 'CRD, service account and Role found by their hash labels' },
    { scenario: 'group-all-namespaces', because: 'rights lifted to the cluster, copies everywhere' },
    { scenario: 'group-single-namespace', because: 'rights and copy in the one target, cluster rules evaluated' },
    { scenario: 'group-multi-explicit', because: 'own namespace and one other' },
    { scenario: 'unsupported-install-mode', because: 'fails before anything is looked at' },
  ])('$scenario: $because', ({ scenario }) => {
    const recording = recorded(scenario);
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, `${scenario}/1`);
    cluster.settle();
    expectRecorded(cluster, recording);
    expectKind(cluster, recording.final, 'ClusterServiceVersion', requirementStatus);
    expect(cluster.round(), 'a further round writes nothing').toBe(false);
  });

  it.each([
    { scenario: 'upgrade-replaces', because: 'the old CSV stays until the new one has Succeeded' },
    { scenario: 'upgrade-skiprange', because: 'a jump over versions is a replacement like any other' },
  ])('$scenario: $because', ({ scenario }) => {
    const recording = recorded(scenario);
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, `${scenario}/1`);
    cluster.settle();
    runPlan(cluster, recording, `${scenario}/2`);
    cluster.settle();
    expectRecorded(cluster, recording);
    expect(cluster.timeline.filter(({ deleted }) => deleted).map(({ object }) => object)).toEqual(
      recording.timeline.filter(({ deleted }) => deleted).map(({ object }) => object),
    );
  });

  it('no-operatorgroup: fails for want of a group, goes on when one appears', () => {
    const recording = recorded('no-operatorgroup');
    const cluster = replayOf(recording, 'Namespace', 'Subscription');
    runPlan(cluster, recording, 'no-operatorgroup/1');
    cluster.settle();
    const failed = 'Failed/NoOperatorGroup: csv in namespace with no operatorgroups';
    expect(cluster.timeline.at(-1)).toMatchObject({ phase: 'Failed', reason: 'NoOperatorGroup' });
    for (const input of recording.inputs.filter(({ kind }) => kind === 'OperatorGroup')) cluster.seed(input);
    cluster.settle();
    const csv = 'ClusterServiceVersion no-operatorgroup/lighthouse-operator.v1.0.0';
    const repaired = 'Pending/RequirementsUnknown: InstallModes now support target namespaces';
    const [, ...rest] = phasesOf(recording.timeline, csv);
    expect(phasesOf(cluster.timeline, csv)).toEqual([failed, repaired, ...rest]);
    for (const [kind, view] of SAME_IN_THE_END) expectKind(cluster, recording.final, kind, view);
  });

  it('csv-requirement-missing: says what is missing', () => {
    const recording = recorded('csv-requirement-missing');
    const cluster = replayOf(recording, 'Namespace', 'OperatorGroup', 'ClusterServiceVersion');
    const same = (dump: Dump | undefined) => expectKind(cluster, dump ?? {}, 'ClusterServiceVersion', verdict);
    same(recording.checkpoints['nothing-there']);
    expectKind(cluster, recording.checkpoints['nothing-there'] ?? {}, 'ClusterServiceVersion', requirementStatus);
    for (const input of recording.inputs.filter(({ kind }) => kind === 'CustomResourceDefinition')) cluster.seed(input);
    cluster.settle();
    same(recording.checkpoints['crds-there']);
    // OLM's list stays as of the first time; here it follows what is there.
    const [csv] = cluster.list<ClusterServiceVersion>('ClusterServiceVersion');
    const crds = csv?.status?.requirementStatus?.filter(({ kind }) => kind === 'CustomResourceDefinition') ?? [];
    expect(crds.map(({ status }) => status)).toEqual(['Present', 'Present']);
    for (const input of recording.inputs.filter(({ kind }) => kind === 'ServiceAccount')) cluster.seed(input);
    cluster.settle();
    same(recording.checkpoints['service-account-there']);
  });

  it('progress-deadline: a Deployment over its deadline fails the CSV for good', () => {
    const recording = recorded('progress-deadline');
    const cluster = replayOf(recording, ...USUAL);
    cluster.deadlineExceeded = true;
    runPlan(cluster, recording, 'progress-deadline/1');
    cluster.settle();
    expectRecorded(cluster, recording);
  });

  it('subscription-config: the config reaches every container, a change of it rolls the operator again', () => {
    const recording = recorded('subscription-config');
    const cluster = replayOf(recording, ...USUAL);
    const plan = 'subscription-config/1';
    runPlan(cluster, recording, plan);
    // OLM knows the installed CSV of a Subscription only later: the first Deployments come without config.
    const ref = { apiVersion: 'v1', kind: 'Subscription', name: 'harbor', namespace: 'subscription-config' };
    cluster.patch(ref, { status: { installedCSV: null } });
    cluster.settle();
    cluster.patch(ref, { status: { installedCSV: 'harbor-operator.v1.0.0' } });
    cluster.settle();
    expectDeploymentSpecs(cluster, recording.checkpoints['installed'] ?? {});
    cluster.patch(ref, { spec: { config: { env: [{ name: 'MODE', value: 'changed' }] } } });
    cluster.settle();
    expectRecorded(cluster, recording);
  });

  it('operatorcondition-blocks: the new CSV waits while the old one says it is busy', () => {
    const recording = recorded('operatorcondition-blocks');
    const namespace = 'operatorcondition-blocks';
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, `${namespace}/1`);
    cluster.settle();
    const ref = { apiVersion: 'v1', kind: 'OperatorCondition', name: 'tugboat-operator.v1.0.0', namespace };
    const said = (status: string, reason: string, message: string) => ({
      spec: {
        conditions: [{ type: 'Upgradeable', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    });
    cluster.patch(ref, said('False', 'Busy', 'voyage under way'));
    cluster.settle();
    runPlan(cluster, recording, `${namespace}/2`);
    cluster.settle();
    const blocked = recording.checkpoints['blocked'] ?? {};
    expectKind(cluster, blocked, 'ClusterServiceVersion', verdict);
    expectKind(cluster, blocked, 'OperatorCondition', (object) => object['status']);
    cluster.patch(ref, said('True', 'Idle', 'in port'));
    cluster.settle();
    expectRecorded(cluster, recording);
  });

  it('drift: a lost hash label and a deleted Deployment are put right', () => {
    const recording = recorded('drift');
    const namespace = 'drift';
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, 'drift/1');
    cluster.settle();
    const csv = 'ClusterServiceVersion drift/lighthouse-operator.v1.0.0';
    const before = cluster.timeline.length;
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lighthouse-manager', namespace };
    cluster.patch(deployment, { metadata: { labels: { 'olm.deployment-spec-hash': null } } });
    cluster.settle();
    cluster.perform([{ do: 'delete', ref: deployment, propagation: 'Background' }]);
    cluster.settle();
    const phases = phasesOf(recording.timeline, csv);
    const fromLostLabel = phases.slice(phases.findIndex((text) => text.includes('spec hash')));
    expect(phasesOf(cluster.timeline.slice(before), csv)).toEqual(fromLostLabel);
    for (const [kind, view] of SAME_IN_THE_END) expectKind(cluster, recording.final, kind, view);
  });

  it('global-vs-own-conflict: the later group may not provide an API that is provided already', () => {
    const recording = recorded('global-vs-own-conflict');
    const cluster = replayOf(recording, ...USUAL);
    runPlan(cluster, recording, 'global-vs-own-conflict/1');
    cluster.settle();
    runPlan(cluster, recording, 'global-vs-own-conflict-g/2');
    cluster.settle();
    expectKind(cluster, recording.final, 'ClusterServiceVersion', verdict);
    expectKind(cluster, recording.final, 'OperatorGroup', groupView);
    expect(cluster.list('Deployment').map(keyOf)).toEqual(['global-vs-own-conflict/tugboat-manager']);
  });

  it('delete-subscription-then-csv: everything the CSV owns goes, its cluster-scoped RBAC first', () => {
    const recording = recorded('delete-subscription-then-csv');
    const namespace = 'group-all-namespaces';
    const installed = recorded(namespace);
    const cluster = replayOf(installed, ...USUAL);
    runPlan(cluster, installed, `${namespace}/1`);
    cluster.settle();
    cluster.perform([
      {
        do: 'delete',
        ref: { apiVersion: 'v1', kind: 'Subscription', name: 'tugboat', namespace },
        propagation: 'Background',
      },
    ]);
    cluster.settle();
    expect(cluster.list('Deployment')).toHaveLength(1);
    const csv = { apiVersion: 'v1', kind: 'ClusterServiceVersion', name: 'tugboat-operator.v1.0.0', namespace };
    cluster.perform([{ do: 'delete', ref: csv, propagation: 'Background' }]);
    cluster.settle();
    for (const kind of [
      'ClusterServiceVersion',
      'Deployment',
      'OperatorCondition',
      'Role',
      'RoleBinding',
      'ClusterRoleBinding',
    ]) {
      expect(cluster.list(kind).map(keyOf), kind).toEqual(Object.keys(recording.final[kind] ?? {}));
    }
    const suffixes = (names: readonly string[]) =>
      names.map((name) => name.match(/(olm\.og\.team\.\w+|-v1-\w+)/)?.[0]).toSorted();
    expect(suffixes(cluster.list('ClusterRole').map(keyOf))).toEqual(
      suffixes(Object.keys(recording.final['ClusterRole'] ?? {})),
    );
    expect(cluster.list('OperatorGroup')[0]?.metadata.annotations).toEqual({ 'olm.providedAPIs': '' });
  });
});
