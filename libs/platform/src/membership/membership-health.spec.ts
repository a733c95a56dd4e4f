import { describe, expect, it } from 'vitest';
import { membershipHealth } from './membership-health.js';

const seven = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

describe('membershipHealth', () => {
  it.each([
    {
      because: 'all is well',
      facts: { known: 2, taking: 2, paused: [], problems: [] },
      health: { up: true, detail: '2 of 2 clusters take part' },
    },
    {
      because: 'a cluster that does not answer yet is no fault of a kubeconfig',
      facts: { known: 3, taking: 2, paused: [], problems: [] },
      health: { up: true, detail: '2 of 3 clusters take part' },
    },
    {
      because: 'clusters are paused',
      facts: { known: 3, taking: 3, paused: ['east', 'west'], problems: [] },
      health: { up: true, degraded: true, detail: '3 of 3 clusters take part, paused: east, west' },
    },
    {
      because: 'files cannot be used',
      facts: { known: 1, taking: 1, paused: [], problems: ['a.yaml: no YAML', 'b.yaml: no such file'] },
      health: { up: true, degraded: true, detail: '1 of 1 clusters take part; a.yaml: no YAML; b.yaml: no such file' },
    },
    {
      because: 'five of many are named',
      facts: { known: 9, taking: 9, paused: seven, problems: seven },
      health: {
        up: true,
        degraded: true,
        detail: '9 of 9 clusters take part, paused: a, b, c, d, e and 2 more; a; b; c; d; e and 2 more',
      },
    },
    {
      because: 'problems of several lines are one line each',
      facts: { known: 0, taking: 0, paused: [], problems: [' a.yaml:\n  line 2\tis wrong \n'] },
      health: { up: true, degraded: true, detail: '0 of 0 clusters take part; a.yaml: line 2 is wrong' },
    },
  ])('$because', ({ facts, health }) => {
    const troubles = Object.fromEntries(
      facts.paused.map((name) => [name, expect.stringMatching(/^the cluster is paused/)]),
    );
    expect(membershipHealth(facts)).toEqual(facts.paused.length === 0 ? health : { ...health, troubles });
  });
});
