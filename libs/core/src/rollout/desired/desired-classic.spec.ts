import { describe, expect, it } from 'vitest';
import { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { OPERATOR_GROUP_API } from '../../kernel/api/operator-group.js';
import { SUBSCRIPTION_API } from '../../kernel/api/subscription.js';
import { type DesiredClassic, desiredClassic, specHash, withDesired } from './desired-classic.js';

const operatorOf = (spec: object = {}): FleetOperator =>
  FleetOperator.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetOperator',
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka-operator', namespace: 'kafka', catalog: { name: 'curated' }, ...spec },
  });
const desiredOf = (spec: object = {}): DesiredClassic => {
  const found = desiredClassic(operatorOf(spec), { globalCatalogNamespace: 'olm' });
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const group = (name: string) => ({ ...OPERATOR_GROUP_API, metadata: { name, namespace: 'kafka' } });
const groupsOf = (manage: string, live: readonly string[]) => {
  const desired = desiredOf({ classic: { operatorGroup: { manage } } });
  const found = withDesired({ subscriptions: [], operatorGroups: live.map(group) }, desired);
  return typeof found === 'string' ? found : found.operatorGroups.map(({ metadata }) => metadata.name);
};

describe('what a FleetOperator of OLM Classic wants in a cluster', () => {
  it('names the global catalog namespace of the cluster', () => {
    expect(desiredOf().subscription.spec).toEqual({
      name: 'kafka-operator',
      source: 'curated',
      sourceNamespace: 'olm',
      installPlanApproval: 'Manual',
    });
  });

  it('says which FleetCatalog is missing', () => {
    const found = desiredClassic(operatorOf({ catalog: { fleetCatalog: 'c' } }), { globalCatalogNamespace: 'olm' });
    expect(found).toBe('there is no FleetCatalog c in the namespace of the FleetOperator');
  });

  it('is known of a Staged FleetCatalog, whose digest no operator moves', () => {
    const catalog = FleetCatalog.parse({
      apiVersion: 'fleet.flotilla.dev/v1alpha1',
      kind: 'FleetCatalog',
      metadata: { name: 'c', namespace: 'platform' },
      spec: {
        image: `example.com/c@sha256:${'0'.repeat(64)}`,
        catalogSource: { name: 'c' },
        promotion: 'Staged',
        strategyRef: { name: 's' },
      },
    });
    const wanted = operatorOf({ catalog: { fleetCatalog: 'c' } });
    const found = desiredClassic(wanted, { globalCatalogNamespace: 'olm', catalog });
    expect(found).toMatchObject({ isStaged: true, catalogDigest: `sha256:${'0'.repeat(64)}` });
  });

  it.each([
    ['Create', [], ['fleet']],
    ['Create', ['fleet'], ['fleet']],
    ['Use', ['own'], ['own']],
    ['Adopt', ['own'], ['own']],
    [
      'Adopt',
      [],
      'namespace kafka has no OperatorGroup to adopt: create one, or set classic.operatorGroup.manage: Create',
    ],
    ['Adopt', ['a', 'b'], 'namespace kafka has 2 OperatorGroups: delete all but one'],
    ['Create', ['own'], 'namespace kafka has OperatorGroup own: set classic.operatorGroup.manage to Adopt or Use'],
    ['Use', [], 'namespace kafka has no OperatorGroup: create one, or set classic.operatorGroup.manage: Create'],
    ['Create', ['a', 'b'], 'namespace kafka has 2 OperatorGroups: delete all but one'],
  ])('with %s, where groups %j are there', (manage, live, expected) => {
    expect(groupsOf(manage, live)).toEqual(expected);
  });

  it.each([
    ['the same targets', ['a', 'b'], undefined],
    [
      'other targets',
      ['c'],
      'namespace kafka has OperatorGroup fleet for targetNamespaces a, b, and registry runs there',
    ],
    ['all namespaces', undefined, 'namespace kafka has OperatorGroup fleet for targetNamespaces a, b'],
  ])('shares the fleet’s group with an operator that runs there: %s', (_, targetNamespaces, conflict) => {
    const other = { ...SUBSCRIPTION_API, metadata: { name: 'registry', namespace: 'kafka' } };
    const subscriptions = [{ ...other, spec: { name: 'registry', source: 's', sourceNamespace: 'olm' } }];
    const live = { ...group('fleet'), spec: { targetNamespaces: ['b', 'a'] } };
    const desired = desiredOf({
      classic: { operatorGroup: { ...(targetNamespaces === undefined ? {} : { targetNamespaces }) } },
    });
    const found = withDesired({ subscriptions, operatorGroups: [live] }, desired);
    expect(typeof found === 'string' ? found : undefined).toEqual(
      conflict === undefined ? undefined : expect.stringContaining(conflict),
    );
    // A group without an operator is made as it is wanted.
    expect(withDesired({ subscriptions: [], operatorGroups: [live] }, desired)).toBeTypeOf('object');
  });

  it('adopts a group with its targets, also beside a Subscription, and changes isolation alone', () => {
    const live = { ...group('own'), spec: { targetNamespaces: ['b', 'a'] } };
    const adopting = (operatorGroup: object, groups = [live]) => {
      const desired = desiredOf({ classic: { operatorGroup: { manage: 'Adopt', ...operatorGroup } } });
      const found = withDesired({ subscriptions: [desired.subscription], operatorGroups: groups }, desired);
      return typeof found === 'string' ? found : found.operatorGroups;
    };
    const annotations = { 'flotilla.dev/resolution-isolation': 'true' };
    const adopted = [{ ...live, metadata: { ...live.metadata, annotations } }];
    expect(adopting({})).toEqual(adopted);
    expect(adopting({ targetNamespaces: ['a', 'b'] })).toEqual(adopted);
    expect(adopting({ targetNamespaces: ['c'] })).toContain(
      'this FleetOperator wants targetNamespaces c: Adopt changes',
    );
    expect(adopting({ serviceAccountName: 'x' })).toContain('targetNamespaces a, b as ServiceAccount x');
    const made = { ...group('fleet'), metadata: { name: 'fleet', namespace: 'kafka' } };
    const noted = { ...made, metadata: { ...made.metadata, annotations: { 'fleet.flotilla.dev/applied': '{}' } } };
    expect(adopting({}, [{ ...noted, spec: { targetNamespaces: [] } }])).toContain('is the fleet');
  });

  it('is another one with another configuration, and the same at each reading', () => {
    expect(specHash(desiredOf())).toBe(specHash(desiredOf()));
    expect(specHash(desiredOf({ classic: { channel: 'fast' } }))).not.toBe(specHash(desiredOf()));
    const [use, adopt] = ['Use', 'Adopt'].map((manage) =>
      specHash(desiredOf({ classic: { operatorGroup: { manage } } })),
    );
    expect(use).not.toBe(adopt);
  });
});
