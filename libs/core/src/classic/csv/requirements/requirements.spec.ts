import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { bindingHash, roleName, rulesHash } from '../../../kernel/hashes/rbac-names.js';
import { gear, world } from '../world/csv-world.fixture.js';
import type { CsvWorld } from '../world/csv-world.js';
import { requirementsOf } from './requirements.js';

const NAME = 'gears.example.com';
const conditions = (established: string, accepted = 'True') => [
  { type: 'Established', status: established },
  { type: 'NamesAccepted', status: accepted },
];
const crd = (parts: Record<string, unknown> = {}, annotations: Record<string, string> = {}): Partial<CsvWorld> => ({
  crds: new Map([
    [
      NAME,
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: NAME, uid: 'uid-of-gears', annotations },
        spec: { versions: [{ name: 'v1', served: true }] },
        status: { conditions: conditions('True') },
        ...parts,
      },
    ],
  ]),
});
const owning = { customresourcedefinitions: { owned: [{ name: NAME, version: 'v1', kind: 'Gear' }] } };
const alongside = (...csvs: string[]) =>
  Object.fromEntries(csvs.map((csv, index) => [`operatorframework.io/installed-alongside-${index}`, csv]));

describe('csv-lifecycle.md §4, CRDs', () => {
  it.each<{ parts: Partial<CsvWorld>; status: string; message: string }>([
    { parts: {}, status: 'NotPresent', message: 'CRD is not present' },
    {
      parts: crd({ spec: { versions: [{ name: 'v1', served: false }] } }),
      status: 'NotPresent',
      message: 'CRD version not served',
    },
    { parts: crd({ spec: 'broken' }), status: 'NotPresent', message: 'CRD version not served' },
    {
      parts: crd({ status: { conditions: conditions('False') } }),
      status: 'PresentNotAvailable',
      message: 'CRD is present but the Established condition is False (not available)',
    },
    {
      parts: crd({ status: { conditions: conditions('True', 'False') } }),
      status: 'PresentNotAvailable',
      message: 'CRD is present but the Established condition is False (not available)',
    },
    { parts: crd(), status: 'Present', message: 'CRD is present and Established condition is true' },
  ])('$status: $message', ({ parts, status, message }) => {
    const { met, entries } = requirementsOf(gear('v1', owning), world(parts));
    expect(entries).toMatchObject([{ kind: 'CustomResourceDefinition', version: 'v1', name: NAME, status, message }]);
    expect(met).toBe(status === 'Present');
  });

  it.each([
    { named: ['mill/v1'], status: 'PresentNotSatisfied', because: 'the plan of the new CSV has not updated it yet' },
    { named: ['mill/v1', 'mill/v2'], status: 'Present', because: 'the plan has' },
    { named: ['mill/other'], status: 'Present', because: 'a CSV that is not replaced is no matter' },
    { named: ['quarry/v1'], status: 'Present', because: 'nor is one of another namespace' },
  ])('installed alongside $named: $because', ({ named, status }) => {
    const csv = gear('v2', { ...owning, replaces: 'v1' });
    const csvs = [gear('v1', owning), csv, gear('other')];
    const { entries } = requirementsOf(csv, world({ ...crd({}, alongside(...named)), csvs }));
    expect(entries[0]?.status).toBe(status);
    if (status !== 'Present') expect(entries[0]?.message).toBe('CRD installed alongside other CSV(s): v1');
  });

  it('installed alongside the follower alone: the one that is replaced keeps what it owns', () => {
    const csv = gear('v1', owning);
    const csvs = [csv, gear('v2', { ...owning, replaces: 'v1' })];
    const { met, entries } = requirementsOf(csv, world({ ...crd({}, alongside('mill/v2')), csvs }));
    expect([met, entries[0]?.status]).toEqual([true, 'Present']);
  });

  it('required alone: whom it was installed alongside is no matter', () => {
    const required = { customresourcedefinitions: { required: owning.customresourcedefinitions.owned } };
    const csv = gear('v2', { ...required, replaces: 'v1' });
    const { met } = requirementsOf(csv, world({ ...crd({}, alongside('mill/v1')), csvs: [gear('v1', owning), csv] }));
    expect(met).toBe(true);
  });
});

describe('csv-lifecycle.md §4, minKubeVersion', () => {
  it.each([
    { min: '1.25.0', server: 'v1.34.4', message: 'CSV minKubeVersion (1.25.0) less than server version (v1.34.4)' },
    {
      min: 'v1.34.4',
      server: 'v1.34.4-gke.12',
      message: 'CSV minKubeVersion (v1.34.4) less than server version (v1.34.4-gke.12)',
    },
    {
      min: '1.35.0',
      server: 'v1.34.4',
      message: 'CSV version requirement not met: minKubeVersion (1.35.0) > server version (1.34.4)',
    },
    {
      min: '1.9.0',
      server: 'v1.34.4+k3s1',
      message: 'CSV minKubeVersion (1.9.0) less than server version (v1.34.4+k3s1)',
    },
    { min: '1.25', server: 'v1.34.4', message: 'CSV version parsing error' },
    { min: '1.25.0', server: 'unknown', message: 'Server version parsing error' },
    { min: '1.25.0', server: undefined, message: 'Server version discovery error' },
  ])('$message', ({ min, server, message }) => {
    const { met, entries } = requirementsOf(gear('v1', { minKubeVersion: min }), world({ serverVersion: server }));
    const present = message.includes('less than');
    expect(entries).toMatchObject([{ kind: 'ClusterServiceVersion', name: 'v1', message }]);
    expect(entries[0]?.status).toBe(present ? 'Present' : 'PresentNotSatisfied');
    expect(met).toBe(present);
  });
});

describe('csv-lifecycle.md §4, APIServices and nativeAPIs', () => {
  const api = { group: 'wind.example.com', version: 'v1', kind: 'Sail', name: 'sails', deploymentName: 'gear' };
  const served = { servedKinds: new Set(['Sail.v1.wind.example.com']) };
  const apiService = (status: string) => ({
    apiServices: new Map([
      [
        'v1.wind.example.com',
        {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: { name: 'v1.wind.example.com' },
          status: { conditions: [{ type: 'Available', status }] },
        },
      ],
    ]),
  });
  it.each<{ parts: Partial<CsvWorld>; status: string; because: string }>([
    { parts: {}, status: 'NotPresent', because: 'nobody serves it' },
    { parts: served, status: 'NotPresent', because: 'served, but by no APIService' },
    { parts: { ...served, ...apiService('False') }, status: 'NotPresent', because: 'its APIService is down' },
    { parts: { ...served, ...apiService('True') }, status: 'Present', because: 'all there' },
  ])('required: $because', ({ parts, status }) => {
    const { entries } = requirementsOf(gear('v1', { apiservicedefinitions: { required: [api] } }), world(parts));
    expect(entries).toMatchObject([{ kind: 'APIService', name: 'v1.wind.example.com', status }]);
  });

  it.each([
    { parts: {}, status: 'NotPresent', message: 'Native API does not exist', met: false },
    { parts: served, status: 'Present', message: 'Native API exists', met: true },
  ])('native: $message', ({ parts, status, message, met }) => {
    const csv = gear('v1', { nativeAPIs: [{ group: 'wind.example.com', version: 'v1', kind: 'Sail' }] });
    const entry = { group: 'wind.example.com', version: 'v1', kind: 'Sail', name: 'v1.wind.example.com' };
    expect(requirementsOf(csv, world(parts))).toEqual({ met, entries: [{ ...entry, status, message }] });
  });

  it.each([
    { deploymentName: 'gear', status: 'DeploymentFound', met: true },
    { deploymentName: 'ghost', status: 'DeploymentNotFound', met: false },
  ])('owned, backed by $deploymentName: $status', ({ deploymentName, status, met }) => {
    const csv = gear('v1', { apiservicedefinitions: { owned: [{ ...api, deploymentName }] } });
    const requirements = requirementsOf(csv, world());
    expect(requirements).toMatchObject({ met, entries: [{ status }] });
  });
});

describe('csv-lifecycle.md §4, service accounts', () => {
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  const permission = { serviceAccountName: 'pilot', rules };
  const csv = gear('v1', {
    install: { strategy: 'deployment', spec: { deployments: [], permissions: [permission] } },
  });
  const account = (owner?: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name: 'pilot',
      namespace: 'mill',
      ownerReferences:
        owner === undefined
          ? []
          : [{ apiVersion: csv.apiVersion, kind: csv.kind, name: owner, uid: `uid-of-${owner}` }],
    },
  });
  const owner = { 'olm.owner': 'v1', 'olm.owner.namespace': 'mill', 'olm.owner.kind': 'ClusterServiceVersion' };
  const name = roleName('v1', permission);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name: 'pilot', namespace: 'mill' }];
  const rbac = (labelled: boolean): Partial<CsvWorld> => ({
    roles: [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: {
          name,
          namespace: 'mill',
          labels: labelled ? { ...owner, 'olm.permissions.hash': rulesHash(rules) } : {},
        },
        rules,
      },
    ],
    roleBindings: [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: {
          name,
          namespace: 'mill',
          labels: labelled ? { ...owner, 'olm.permissions.hash': bindingHash({ roleRef, subjects }) } : {},
        },
        roleRef,
        subjects,
      },
    ],
  });

  it.each<{ parts: Partial<CsvWorld>; status: string; message: string }>([
    { parts: {}, status: 'NotPresent', message: 'Service account does not exist' },
    {
      parts: { serviceAccounts: [account('v0')] },
      status: 'PresentNotSatisfied',
      message: 'Service account is owned by another ClusterServiceVersion',
    },
    {
      parts: { serviceAccounts: [account('v1')] },
      status: 'PresentNotSatisfied',
      message: 'Policy rule not satisfied for service account',
    },
    { parts: { serviceAccounts: [account('v1')], ...rbac(false) }, status: 'Present', message: '' },
  ])('$status $message', ({ parts, status, message }) => {
    const { met, entries } = requirementsOf(csv, world(parts));
    expect(entries).toMatchObject([{ kind: 'ServiceAccount', name: 'pilot', status, message }]);
    expect(met).toBe(status === 'Present');
  });

  it('takes an account that only a ConfigMap owns', () => {
    const owners = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'uid-of-settings' }];
    const owned = { ...account(), metadata: { ...account().metadata, ownerReferences: owners } };
    const { entries } = requirementsOf(csv, world({ serviceAccounts: [owned], ...rbac(false) }));
    expect(entries).toMatchObject([{ kind: 'ServiceAccount', name: 'pilot', status: 'Present' }]);
  });

  it('shows each rule as Go writes it', () => {
    const { entries } = requirementsOf(csv, world({ serviceAccounts: [account()] }));
    expect(entries[0]?.dependents).toEqual([
      {
        group: 'rbac.authorization.k8s.io',
        version: 'v1',
        kind: 'PolicyRule',
        status: 'NotSatisfied',
        message: 'namespaced rule:{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}',
      },
    ]);
  });

  it('takes RBAC made by a plan as satisfied, without an entry', () => {
    const parts = { serviceAccounts: [account('v1')], ...rbac(true) };
    expect(requirementsOf(csv, world(parts))).toEqual({ met: true, entries: [] });
  });
});
