import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetCluster } from '../../kernel/api/fleet/fleet-cluster.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { type ForeignReading, foreignCluster } from './foreign-cluster.js';
import { ARGO_TOKEN, argoSecret, managedCluster } from './foreign-objects.fixture.js';
import { isInStep, planImport } from './plan-import.js';

const argo = (name: string, secret = name) =>
  foreignCluster('ArgoCD', argoSecret(ARGO_TOKEN, { name, metadata: { labels: { env: 'prod' } } }, secret));
const plan = (readings: readonly ForeignReading[], existing: readonly KubernetesObject[] = [], source = 'argo') =>
  planImport({ readings, existing, source });
const namesOf = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata.name);
const people = (name: string, marks: object = {}): KubernetesObject => ({
  ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetCluster' },
  metadata: { name, uid: `uid-${name}`, ...marks },
  spec: { access: { context: name } },
});

describe('an import', () => {
  it('writes FleetClusters that an API server takes, with a reference to the login', () => {
    const { wanted } = plan([argo('east')]);
    expect(wanted).toEqual([
      {
        ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetCluster' },
        metadata: {
          ...{ name: 'east', labels: { env: 'prod', 'fleet.flotilla.dev/source': 'argo' } },
          annotations: { 'fleet.flotilla.dev/imported-from': 'Secret argocd/east' },
        },
        spec: { access: { secretRef: { name: 'east', namespace: 'argocd', format: 'ArgoCD' } } },
      },
    ]);
    expect(FleetCluster.safeParse(wanted[0]).error).toBeUndefined();
  });

  it('leaves the login of a tool without logins to people', () => {
    const readings = [foreignCluster('OCM', managedCluster('north'))];
    expect(plan(readings).wanted[0]?.['spec']).toEqual({ access: { secretRef: { name: 'north' } } });
    const held = people('north', { labels: { 'fleet.flotilla.dev/source': 'argo' } });
    expect(plan(readings, [held]).wanted[0]?.['spec']).toEqual({ access: { context: 'north' } });
  });

  it.each([
    {
      what: 'of people',
      held: people('east'),
      says: 'there is a FleetCluster "east" already, and it was not imported: rename it there, or import with a name prefix',
    },
    {
      what: 'of another source',
      held: people('east', { labels: { 'fleet.flotilla.dev/source': 'capi' } }),
      says: 'FleetCluster "east" is of FleetClusterSource "capi": rename it there, or import with a name prefix',
    },
    {
      what: 'that was imported from another tool',
      held: people('east', { annotations: { 'fleet.flotilla.dev/imported-from': 'Cluster.cluster.x-k8s.io a/east' } }),
      says: /^FleetCluster "east" was imported from Cluster.cluster.x-k8s.io a\/east: /,
    },
    {
      what: 'that is being deleted',
      held: people('east', {
        deletionTimestamp: '2026-01-01T00:00:00Z',
        annotations: { 'fleet.flotilla.dev/imported-from': 'Secret argocd/east' },
      }),
      says: 'FleetCluster "east" is being deleted',
    },
  ])('takes no FleetCluster $what', ({ held, says }) => {
    const { wanted, refused } = plan([argo('east')], [held]);
    expect(wanted).toEqual([]);
    expect(refused).toEqual([
      { origin: 'Secret argocd/east', refused: says instanceof RegExp ? expect.stringMatching(says) : says },
    ]);
  });

  it('takes what was imported once from the same object into a source', () => {
    const held = people('east', { annotations: { 'fleet.flotilla.dev/imported-from': 'Secret argocd/east' } });
    expect(namesOf(plan([argo('east')], [held]).wanted)).toEqual(['east']);
    const once = planImport({ readings: [argo('east')], existing: [held] });
    expect(namesOf(once.wanted)).toEqual(['east']);
    expect(once.wanted[0]?.metadata.labels).toEqual({ env: 'prod' });
  });

  it('gives a name that two objects claim to the one that has it, else to the first', () => {
    const both = [argo('East', 'b'), argo('east', 'a')];
    const first = plan(both);
    expect(first.wanted[0]?.metadata.annotations).toMatchObject({
      'fleet.flotilla.dev/imported-from': 'Secret argocd/a',
    });
    expect(first.refused).toEqual([
      { origin: 'Secret argocd/b', refused: expect.stringMatching(/^FleetCluster "east" is of Secret argocd\/a: /) },
    ]);
    const held = { ...people('east'), metadata: plan([argo('East', 'b')]).wanted[0]?.metadata ?? {} };
    const later = plan(both, [held]);
    expect(later.wanted[0]?.metadata.annotations).toMatchObject({
      'fleet.flotilla.dev/imported-from': 'Secret argocd/b',
    });
  });

  it('takes an object in the place of another one of the same cluster that is gone', () => {
    const held = { ...people('east'), metadata: plan([argo('east', 'old')]).wanted[0]?.metadata ?? {} };
    const { wanted, left } = plan([argo('east', 'new')], [held]);
    expect(wanted[0]?.['spec']).toMatchObject({ access: { secretRef: { name: 'new' } } });
    expect(left).toEqual([]);
  });

  it('names the clusters that have left, and not those whose object cannot be read', () => {
    const [east, west] = plan([argo('east'), argo('west')]).wanted;
    const existing = [east, west].flatMap((one) => one ?? []);
    const unreadable = foreignCluster('ArgoCD', argoSecret('no', {}, 'west'));
    expect(plan([unreadable], existing)).toMatchObject({
      ...{ wanted: [], left: ['east'], refused: [{ origin: 'Secret argocd/west' }] },
    });
    expect(plan([], existing).left).toEqual(['east', 'west']);
    expect(planImport({ readings: [], existing }).left).toEqual([]);
    expect(plan([], existing, 'other').left).toEqual([]);
  });

  it('puts the prefix before every name', () => {
    const found = planImport({ readings: [argo('east')], existing: [], source: 'argo', namePrefix: 'eu' });
    expect(namesOf(found.wanted)).toEqual(['eu-east']);
    const long = planImport({ readings: [argo('a'.repeat(253))], existing: [], namePrefix: 'eu' });
    expect(long.refused[0]?.refused).toMatch(/not be a DNS subdomain of at most 253 characters$/);
  });

  it('is in step once it was written', () => {
    const [wanted] = plan([argo('east')]).wanted;
    if (wanted === undefined) throw new Error('nothing is wanted');
    const more = { ...wanted, metadata: { ...wanted.metadata, labels: { ...wanted.metadata.labels, tier: 'lab' } } };
    expect(isInStep(more, wanted)).toBe(true);
    expect(isInStep({ ...wanted, metadata: { ...wanted.metadata, labels: {} } }, wanted)).toBe(false);
    expect(isInStep({ ...wanted, spec: { access: { context: 'east' } } }, wanted)).toBe(false);
  });
});

const Name = fc.stringMatching(/^[A-Za-z0-9 _./:-]{1,12}$/);
const Readings = fc.uniqueArray(fc.tuple(Name, fc.stringMatching(/^[a-z]{1,3}$/)), {
  selector: ([, secret]) => secret,
  maxLength: 8,
});

describe('any import', () => {
  it('is the same in whatever order its input comes, gives each name once, and is stable', () => {
    fc.assert(
      fc.property(Readings, fc.boolean(), (pairs, isReversed) => {
        const readings = pairs.map(([name, secret]) => argo(name, secret));
        const first = plan(readings);
        expect(plan(isReversed ? readings.toReversed() : readings.toSorted(() => -1))).toEqual(first);
        const names = namesOf(first.wanted);
        expect(new Set(names).size).toBe(names.length);
        expect(first.wanted.length + first.refused.length).toBe(readings.length);
        for (const one of first.wanted) expect(FleetCluster.safeParse(one).error).toBeUndefined();
        const again = plan(readings, first.wanted);
        expect(again).toEqual(first);
        expect(plan([], first.wanted).left).toEqual(names);
      }),
    );
  });
});
