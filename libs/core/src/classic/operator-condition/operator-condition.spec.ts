import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorCondition } from '../../kernel/api/operator-condition.js';
import { gear } from '../csv/world/csv-world.fixture.js';
import { stepOperatorCondition } from './step-operator-condition.js';
import { operatorNotUpgradeable } from './upgradeable.js';

type Conditions = NonNullable<NonNullable<OperatorCondition['spec']>['conditions']>;

const condition = (spec: OperatorCondition['spec'], status: Conditions = [], generation = 2): OperatorCondition => ({
  apiVersion: 'operators.coreos.com/v2',
  kind: 'OperatorCondition',
  metadata: { name: 'v1', namespace: 'mill', uid: 'uid-of-condition', generation },
  spec,
  status: { conditions: status },
});
const upgradeable = (status: string, message = 'milling', observedGeneration = 2): Conditions => [
  { type: 'Upgradeable', status, message, observedGeneration },
];

describe('csv-lifecycle.md §8, the condition Upgradeable', () => {
  it.each<{ object: OperatorCondition | undefined; why: string | undefined; because: string }>([
    { object: undefined, why: undefined, because: 'no object, no objection' },
    { object: condition({}), why: undefined, because: 'nothing said' },
    { object: condition({}, upgradeable('True')), why: undefined, because: 'it says so' },
    { object: condition({}, upgradeable('Unknown')), why: undefined, because: 'not knowing is no objection' },
    {
      object: condition({}, upgradeable('False')),
      why: 'the operator is not upgradeable: milling',
      because: 'it objects',
    },
    {
      object: condition({}, upgradeable('True', '', 1)),
      why: 'the operatorcondition status "Upgradeable"="True" is outdated',
      because: 'it speaks of an older generation',
    },
    {
      object: condition({ overrides: upgradeable('True') }, upgradeable('False')),
      why: undefined,
      because: 'an override beats the operator',
    },
    {
      object: condition({ overrides: upgradeable('Unknown', 'wait') }, upgradeable('True')),
      why: 'the operator is not upgradeable: wait',
      because: 'an override that is not True forbids',
    },
  ])('$because', ({ object, why }) => {
    expect(operatorNotUpgradeable(object)).toBe(why);
  });
});

describe('csv-lifecycle.md §8, keeping an OperatorCondition', () => {
  const permission = (serviceAccountName: string) => ({ serviceAccountName, rules: [] });
  const csv = gear('v1', {
    install: {
      strategy: 'deployment',
      spec: {
        deployments: [{ name: 'gear', spec: {} }],
        clusterPermissions: [permission('overseer')],
        permissions: [permission('pilot')],
      },
    },
  });
  const live = (spec: OperatorCondition['spec'] = {}, status?: Conditions): OperatorCondition => {
    const [create] = stepOperatorCondition(csv, { condition: undefined, roles: [], roleBindings: [] }).actions;
    if (create?.do !== 'create') throw new Error('nothing created');
    const base = condition({ serviceAccounts: ['overseer', 'pilot'], deployments: ['gear'], ...spec }, status);
    return { ...base, metadata: { ...create.object.metadata, uid: 'uid-of-condition', generation: 2 } };
  };
  const none = { roles: [], roleBindings: [] };

  it('makes one that the CSV controls, accounts of cluster permissions first', () => {
    const { actions } = stepOperatorCondition(csv, { condition: undefined, ...none });
    expect(actions).toMatchObject([
      {
        do: 'create',
        object: {
          apiVersion: 'operators.coreos.com/v2',
          metadata: { name: 'v1', namespace: 'mill', ownerReferences: [{ name: 'v1', controller: true }] },
          spec: { serviceAccounts: ['overseer', 'pilot'], deployments: ['gear'] },
        },
      },
    ]);
  });

  it('names the default account where the CSV names none', () => {
    const { actions } = stepOperatorCondition(gear('v1'), { condition: undefined, ...none });
    expect(actions).toMatchObject([{ object: { spec: { serviceAccounts: ['default'] } } }]);
  });

  it('lets the accounts write this one object, and writes nothing once that is so', () => {
    const { actions } = stepOperatorCondition(csv, { condition: live(), ...none });
    const created = actions.flatMap((action) => (action.do === 'create' ? [action.object] : []));
    expect(created).toMatchObject([
      { kind: 'Role', rules: [{ verbs: ['get', 'update', 'patch'], resourceNames: ['v1'] }] },
      { kind: 'RoleBinding', subjects: [{ name: 'overseer' }, { name: 'pilot' }] },
    ]);
    const of = (kind: string): KubernetesObject[] => created.filter((one) => one.kind === kind);
    const again = stepOperatorCondition(csv, { condition: live(), roles: of('Role'), roleBindings: of('RoleBinding') });
    expect(again).toEqual({ actions: [] });
  });

  it('keeps what people and the operator wrote when the CSV changes', () => {
    const old = live({ deployments: ['old'], overrides: upgradeable('False'), conditions: upgradeable('True') });
    expect(stepOperatorCondition(csv, { condition: old, ...none }).actions).toMatchObject([
      {
        do: 'update',
        object: { spec: { deployments: ['gear'], overrides: [{ status: 'False' }], conditions: [{ status: 'True' }] } },
      },
    ]);
  });

  it('copies what the operator says, once per generation', () => {
    const said = live({ conditions: [{ type: 'Upgradeable', status: 'False', message: 'busy' }] });
    const { status } = stepOperatorCondition(csv, { condition: said, ...none });
    expect(status?.conditions).toEqual([
      { type: 'Upgradeable', status: 'False', message: 'busy', observedGeneration: 2 },
    ]);
    const copied = { ...said, ...(status && { status }) };
    expect(stepOperatorCondition(csv, { condition: copied, ...none }).status).toBeUndefined();
  });
});
