import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanRow } from '../rows/rows.js';
import { PolicyModel, readPolicy } from './console-policy.js';
import { type ConsoleVerb, ROLES } from './console-verbs.js';
import { type Place, placeOf, type Rights, rightsOf } from './rights.js';

const POLICY = PolicyModel.parse({
  grants: [
    { groups: ['sre'], role: 'operator', clusters: ['*'] },
    {
      groups: ['change-board'],
      role: 'approver',
      clusters: ['eu-*'],
      labels: { tier: 'prod' },
      packages: ['harbor-*'],
    },
    { users: ['owner@example.com'], role: 'viewer', clusters: ['east'], namespaces: ['harbors'] },
    { users: ['owner@example.com'], role: 'approver', clusters: ['east'], namespaces: ['harbors'], packages: ['lamp'] },
    { users: ['owner@example.com'], role: 'approver', clusters: ['east'], namespaces: ['harbors'], packages: ['b*y'] },
    { users: ['root@example.com'], role: 'admin', clusters: ['*'] },
  ],
});
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'eu-1': { tier: 'prod' },
  'eu-2': { tier: 'test' },
};
const labels = (cluster: string) => LABELS[cluster] ?? {};
const of = (name: string, ...groups: string[]): Rights => rightsOf(POLICY, { name, groups });

describe('who may do what', () => {
  type Row = { who: Rights; verb: ConsoleVerb; place: Place | undefined; says: string };
  const EAST = { cluster: 'east', namespace: 'harbors' };
  it.each<Row>([
    { who: of('ann', 'sre'), verb: 'see', place: EAST, says: '' },
    { who: of('ann', 'sre'), verb: 'retry', place: { cluster: 'west' }, says: '' },
    { who: of('ann', 'sre'), verb: 'hub', place: undefined, says: 'needs the role admin' },
    { who: of('root@example.com'), verb: 'hub', place: undefined, says: '' },
    { who: of('sre'), verb: 'see', place: EAST, says: 'no grant names this person' },
    { who: of('bob', 'change-board'), verb: 'approve', place: { cluster: 'eu-1', packages: ['harbor-x'] }, says: '' },
    { who: of('bob', 'change-board'), verb: 'retry', place: { cluster: 'eu-1' }, says: 'needs the role operator' },
    {
      ...{
        who: of('bob', 'change-board'),
        verb: 'approve',
        place: { cluster: 'eu-1', packages: ['harbor-x', 'lamp'] },
      },
      says: 'package lamp is outside',
    },
    {
      ...{ who: of('bob', 'change-board'), verb: 'see', place: { cluster: 'eu-2' } },
      says: 'a cluster without tier=prod, such as eu-2 is outside',
    },
    { who: of('bob', 'change-board'), verb: 'see', place: { cluster: 'us-1' }, says: 'cluster us-1 is outside' },
    { who: of('owner@example.com'), verb: 'see', place: EAST, says: '' },
    {
      ...{ who: of('owner@example.com'), verb: 'see', place: { cluster: 'east', namespace: 'lamps' } },
      says: 'namespace lamps is outside',
    },
    { who: of('owner@example.com'), verb: 'approve', place: { ...EAST, packages: ['lamp', 'bey', 'by'] }, says: '' },
    {
      ...{ who: of('owner@example.com'), verb: 'approve', place: { ...EAST, packages: ['lamp', 'y'] } },
      says: 'package y is outside',
    },
  ])('$verb $place: $says', ({ who, verb, place, says }) => {
    const decision = who.decide(verb, place, labels);
    expect(decision.allowed ? '' : decision.because).toContain(says);
    expect(decision.allowed).toBe(says === '');
  });

  it('says which grants allow it', () => {
    expect(of('owner@example.com').decide('approve', { ...EAST, packages: ['lamp', 'by'] }, labels)).toEqual({
      allowed: true,
      by: [
        'approver of clusters east, namespaces harbors, packages lamp',
        'approver of clusters east, namespaces harbors, packages b*y',
      ],
    });
  });

  it('a plan of more packages than its row lists takes a grant of all packages', () => {
    const moves = Array.from({ length: 50 }, () => ({ package: 'lamp', from: '', to: 'lamp.v1' }));
    const row = { kind: 'plan', ...EAST, moves } as unknown as PlanRow;
    expect(of('owner@example.com').may('approver', placeOf(row), labels)).toBe(false);
    expect(of('ann', 'sre').may('approver', placeOf(row), labels)).toBe(true);
    expect(of('owner@example.com').may('approver', placeOf({ ...row, moves: moves.slice(1) }), labels)).toBe(true);
  });
});

describe('rights in general', () => {
  const name = fc.constantFrom('a', 'ab', 'abc', 'b', 'ba');
  const pattern = fc.constantFrom('*', 'a', 'a*', '*a', 'b*a', 'a*b*c', '**');
  const patterns = fc.array(pattern, { minLength: 1, maxLength: 2 });
  const grant = fc.record({
    ...{ users: fc.constant(['u']), groups: fc.constant([]), role: fc.constantFrom(...ROLES) },
    ...{ clusters: patterns, namespaces: patterns, packages: patterns },
    labels: fc.constantFrom<Record<string, string>>({}, { tier: 'prod' }),
  });
  const place = fc.record({ cluster: name, namespace: name, packages: fc.array(name, { maxLength: 3 }) });
  const isOne = (all: readonly string[], text: string) =>
    all.some((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`).test(text));
  const tiers = (cluster: string) => (cluster.startsWith('a') ? { tier: 'prod' } : {}) as Record<string, string>;
  const role = fc.constantFrom(...ROLES);
  const policy = (grants: readonly unknown[]) => PolicyModel.parse({ grants });

  it('nothing is allowed that no grant covers, and the reason agrees with the answer', () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 4 }), place, role, (grants, at, wanted) => {
        const near = grants.filter(
          (one) =>
            ROLES.indexOf(one.role) >= ROLES.indexOf(wanted) &&
            isOne(one.clusters, at.cluster) &&
            isOne(one.namespaces, at.namespace) &&
            (one.labels['tier'] === undefined || tiers(at.cluster)['tier'] === one.labels['tier']),
        );
        const allowed = near.length > 0 && at.packages.every((one) => near.some((g) => isOne(g.packages, one)));
        const rights = rightsOf(policy(grants), { name: 'u', groups: [] });
        expect(rights.may(wanted, at, tiers)).toBe(allowed);
        if (wanted === 'approver') expect(rights.decide('approve', at, tiers).allowed).toBe(allowed);
        expect(rightsOf(policy(grants), { name: 'v', groups: ['u'] }).may(wanted, at, tiers)).toBe(false);
      }),
    );
  });

  it('one more grant takes nothing away, and a greater role may all that a lesser one may', () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 3 }), grant, place, role, (grants, more, at, wanted) => {
        const before = rightsOf(policy(grants), { name: 'u', groups: [] });
        const after = rightsOf(policy([...grants, more]), { name: 'u', groups: [] });
        if (before.may(wanted, at, tiers)) {
          expect(after.may(wanted, at, tiers)).toBe(true);
          for (const lesser of ROLES.slice(0, ROLES.indexOf(wanted))) expect(before.may(lesser, at, tiers)).toBe(true);
        }
      }),
    );
  });
});

describe('a policy', () => {
  it.each([
    [{ grants: [{ role: 'viewer', clusters: ['*'] }] }, 'grants[0]: names no users and no groups'],
    [{ grants: [{ users: ['a'], role: 'owner', clusters: ['*'] }] }, 'grants[0].role'],
    [{ grants: [{ users: ['a'], role: 'viewer', clusters: [] }] }, 'grants[0].clusters'],
    [{ grants: [{ users: ['a'], role: 'viewer', clusters: ['*'], cluster: 'x' }] }, 'cluster'],
    [null, 'the file'],
  ])('that is wrong is named with its place: %j', (value, says) => {
    expect(readPolicy(value)).toEqual({ problem: expect.stringContaining(says) });
  });
});
