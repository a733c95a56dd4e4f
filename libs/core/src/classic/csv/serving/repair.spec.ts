import { describe, expect, it } from 'vitest';
import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { stepCsv } from '../step-csv.js';
import { gear, NOW } from '../world/csv-world.fixture.js';
import type { CsvWorld } from '../world/csv-world.js';
import { installed } from './serving.fixture.js';

const webhook = {
  generateName: 'val.parts.example.org',
  type: 'ValidatingAdmissionWebhook',
  deploymentName: 'gear',
  containerPort: 443,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
};
const succeeded = gear(
  'v1',
  { webhookdefinitions: [webhook] },
  {
    phase: 'Succeeded',
    reason: 'InstallSucceeded',
    message: 'install strategy completed with no errors',
    lastTransitionTime: NOW.toISOString(),
  },
);
const without = (list: readonly KubernetesObject[], name: string) =>
  list.filter(({ metadata }) => metadata.name !== name);
const [AUTH_DELEGATOR, AUTH_READER] = ['gear-service-system:auth-delegator', 'gear-service-auth-reader'];
const repairs = (parts: (world: CsvWorld) => Partial<CsvWorld>, csv: ClusterServiceVersion = succeeded) => {
  const world = installed(csv);
  const { actions, status } = stepCsv(csv, { ...world, ...parts(world) });
  return { actions, moved: status !== undefined };
};
const titles = (actions: readonly Action[]) =>
  actions.map((action) => {
    if (action.do === 'patch' || action.do === 'delete') return `${action.do} ${action.ref.kind} ${action.ref.name}`;
    return 'object' in action ? `${action.do} ${action.object.kind} ${action.object.metadata.name}` : action.do;
  });
const elsewhere = { kind: 'ServiceAccount', name: 'default', namespace: 'quarry' };
/** The binding as an operator of another namespace has made it. */
const takenBy = (binding: KubernetesObject): KubernetesObject => ({
  ...binding,
  metadata: {
    ...binding.metadata,
    resourceVersion: '7',
    labels: { ...binding.metadata.labels, 'olm.owner.namespace': 'quarry' },
  },
  subjects: [elsewhere],
});

describe('an installed operator whose webhooks the API server calls', () => {
  it('is left alone where nothing is missing, whatever the API server added', () => {
    const defaulted = (world: CsvWorld) => ({
      services: new Map(
        [...world.services].map(([name, one]) => {
          const spec = one['spec'] as { ports: object[] };
          const ports = spec.ports.map((port) => ({ protocol: 'TCP', ...port }));
          return [name, { ...one, spec: { clusterIP: '10.0.0.1', ...spec, ports } }];
        }),
      ),
    });
    expect(repairs(defaulted)).toEqual({ actions: [], moved: false });
  });

  it.each<{ what: string; parts: (world: CsvWorld) => Partial<CsvWorld>; action: string }>([
    { what: 'Service', parts: () => ({ services: new Map() }), action: 'apply Service gear-service' },
    { what: 'Role', parts: () => ({ roles: [] }), action: 'apply Role gear-service-cert' },
    {
      what: 'RoleBinding',
      parts: () => ({ roleBindings: [] }),
      action: 'apply RoleBinding gear-service-cert',
    },
    {
      what: 'auth-delegator',
      parts: ({ clusterRoleBindings }) => ({ clusterRoleBindings: without(clusterRoleBindings, AUTH_DELEGATOR) }),
      action: `apply ClusterRoleBinding ${AUTH_DELEGATOR}`,
    },
    {
      what: 'auth-reader',
      parts: () => ({ authReaders: [] }),
      action: `apply RoleBinding ${AUTH_READER}`,
    },
    {
      what: 'rules of the Role',
      parts: ({ roles }) => ({ roles: roles.map((one) => ({ ...one, rules: [] })) }),
      action: 'apply Role gear-service-cert',
    },
    {
      what: 'caBundle',
      parts: ({ webhookConfigurations }) => ({
        webhookConfigurations: webhookConfigurations.map((one) => ({
          ...one,
          webhooks: [{ name: webhook.generateName, clientConfig: { caBundle: 'AAAA' } }],
        })),
      }),
      action: 'apply ValidatingWebhookConfiguration val.parts.example.org-',
    },
  ])('gets its $what back, and stays Succeeded', ({ parts, action }) => {
    const { actions, moved } = repairs(parts);
    expect(titles(actions)).toEqual([expect.stringContaining(action)]);
    expect(moved).toBe(false);
  });
});

describe('bindings that operators of two namespaces share by name', () => {
  const shared = (world: CsvWorld): Partial<CsvWorld> => ({
    authReaders: world.authReaders.map(takenBy),
    clusterRoleBindings: world.clusterRoleBindings.map(takenBy),
  });

  it('get a second subject, and keep the first and its owner', () => {
    const { actions } = repairs(shared);
    const own = { kind: 'ServiceAccount', name: 'default', namespace: 'mill' };
    expect(actions).toEqual([
      {
        do: 'patch',
        ref: expect.objectContaining({ kind: 'ClusterRoleBinding', name: AUTH_DELEGATOR }),
        patch: { metadata: { resourceVersion: '7' }, subjects: [elsewhere, own] },
      },
      {
        do: 'patch',
        ref: expect.objectContaining({ kind: 'RoleBinding', name: AUTH_READER, namespace: 'kube-system' }),
        patch: { metadata: { resourceVersion: '7' }, subjects: [elsewhere, own] },
      },
    ]);
  });

  const going = {
    ...succeeded,
    metadata: {
      ...succeeded.metadata,
      finalizers: ['operators.coreos.com/csv-cleanup'],
      deletionTimestamp: '2026-01-01T00:00:00Z',
    },
  };
  const bindings = (actions: readonly Action[]) =>
    actions.filter((action) => titles([action])[0]?.includes('gear-service'));

  it('go with the last operator that uses them', () => {
    const { actions } = repairs(() => ({}), going);
    expect(titles(bindings(actions))).toEqual([
      `delete RoleBinding ${AUTH_READER}`,
      `delete ClusterRoleBinding ${AUTH_DELEGATOR}`,
    ]);
  });

  it('lose the subject and the labels of an operator that goes while another uses them', () => {
    const both = (one: KubernetesObject) => ({ ...one, subjects: [...(one['subjects'] as object[]), elsewhere] });
    const { actions } = repairs(
      (world) => ({
        authReaders: world.authReaders.map(both),
        clusterRoleBindings: world.clusterRoleBindings.map(both),
      }),
      going,
    );
    const labels = { 'olm.owner': null, 'olm.owner.namespace': null, 'olm.owner.kind': null };
    expect(bindings(actions)).toEqual([
      expect.objectContaining({ do: 'patch', patch: { metadata: { labels }, subjects: [elsewhere] } }),
      expect.objectContaining({ do: 'patch', patch: { metadata: { labels }, subjects: [elsewhere] } }),
    ]);
  });

  it('stay with a follower in the same namespace', () => {
    const follower = { ...succeeded, metadata: { ...succeeded.metadata, name: 'v2', uid: 'uid-of-v2' } };
    const { actions } = repairs(() => ({ csvs: [going, follower] }), going);
    expect(titles(bindings(actions))).toEqual([]);
  });
});
