import { describe, expect, it } from 'vitest';
import { PolicyModel } from '#core/view/rights/console-policy';
import { ALL_RIGHTS, rightsOf } from '#core/view/rights/rights';
import { operatorRow } from '../console.fixture.js';
import { groupTouches, seenOthers } from './class-touches.js';

const HARBOR = { namespace: 'harbors', name: 'harbor.v1.0.0', role: 'owner' } as const;
const MAST = { namespace: 'masts', name: 'mast.v1.0.0', role: 'user' } as const;
const LAMPS = { bundle: 'lamp.v1.1.0', name: 'lamps.example.com', change: 'changed' } as const;
const MOVES = [{ package: 'lamp-operator', from: '', to: 'lamp.v1.1.0' }];
const MEMBERS = ['east', 'west'].map((cluster) => ({
  cluster,
  touches: [
    { ...LAMPS, name: 'alone.example.com', others: [], more: 0 },
    { ...LAMPS, others: [MAST, HARBOR], more: 2 },
  ],
}));
const OPERATORS = ['east', 'west'].map((cluster) => operatorRow(cluster, 'harbor'));
const NO_LABELS = () => ({});

describe('the reach of a plan class', () => {
  it('is each definition with the other operators of all clusters, those with owners first', () => {
    const found = groupTouches(MEMBERS, MOVES, seenOthers(OPERATORS, ALL_RIGHTS, NO_LABELS));
    expect(found).toMatchObject([
      {
        ...{ package: 'lamp-operator', name: 'lamps.example.com', change: 'changed', clusters: 2, moreOthers: 2 },
        others: [
          { package: 'harbor', operator: 'harbor', namespace: 'harbors', role: 'owner', clusters: 2, example: 'east' },
          { package: 'mast.v1.0.0', operator: '', namespace: 'masts', role: 'user', clusters: 2 },
        ],
      },
      { name: 'alone.example.com', clusters: 2, others: [], moreOthers: 0 },
    ]);
  });

  it('names and counts no operator that the person may not see', () => {
    const jane = { users: ['jane'], role: 'viewer', clusters: ['*'], namespaces: ['lamps'] };
    const rights = rightsOf(PolicyModel.parse({ grants: [jane] }), { name: 'jane', groups: [] });
    const found = groupTouches(MEMBERS, MOVES, seenOthers([], rights, NO_LABELS));
    expect(JSON.stringify(found)).not.toMatch(/harbor|mast/);
    expect(found.map(({ moreOthers }) => moreOthers)).toEqual([0, 0]);
  });

  it('lists fifty others, and counts the rest', () => {
    const others = Array.from({ length: 20 }, (_, at) => ({ ...HARBOR, namespace: `n-${at}` }));
    const many = Array.from({ length: 4 }, (_, at) => ({
      cluster: `c-${at}`,
      touches: [{ ...LAMPS, others: others.map((one) => ({ ...one, name: `harbor-${at}.v1` })), more: 0 }],
    }));
    const [touch] = groupTouches(many, MOVES, seenOthers([], ALL_RIGHTS, NO_LABELS));
    expect([touch?.others.length, touch?.moreOthers]).toEqual([50, 30]);
  });

  it('counts each of the rest once, however many clusters have it', () => {
    const others = Array.from({ length: 60 }, (_, at) => ({ ...MAST, namespace: `n-${at}` }));
    const everywhere = Array.from({ length: 100 }, (_, at) => ({
      cluster: `c-${at}`,
      touches: [{ ...LAMPS, others, more: 0 }],
    }));
    const [touch] = groupTouches(everywhere, MOVES, seenOthers([], ALL_RIGHTS, NO_LABELS));
    expect([touch?.others.length, touch?.moreOthers]).toEqual([50, 10]);
  });
});
