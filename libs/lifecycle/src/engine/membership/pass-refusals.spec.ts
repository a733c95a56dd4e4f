import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { PassOutcome } from '../passes/reconcile-loop.js';
import { PassRefusals } from './pass-refusals.js';

const refused = (cluster: string): PassOutcome => ({
  ...{ rounds: 1, result: 'refused' },
  error: new KubeApiError(cluster, 403, 'Forbidden', 'subscriptions is forbidden:\n  no right'),
});
const DONE: PassOutcome = { rounds: 1, result: 'done' };

const DENIED = 'list of roles: roles is forbidden: User "hub" cannot list resource "roles" in API group "rbac"';

function made(deniedWatches: (cluster: string) => readonly string[] = () => []) {
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const counts = new Map<string, number>();
  const troubles = { refused: (cluster: string, count: number) => void counts.set(cluster, count) };
  const clusters = { known: () => ['west', 'east'] };
  const refusals = new PassRefusals({ clock, metrics: { troubles } }, clusters, { deniedWatches });
  const note = (subject: Parameters<PassRefusals['note']>[0], outcome: PassOutcome, times = 1) => {
    for (let n = 0; n < times; n += 1) refusals.note(subject, outcome);
  };
  return { clock, counts, refusals, note, health: () => refusals.check.check() };
}
const SHOP = { cluster: 'east', namespace: 'shop' };

describe('watches that are refused', () => {
  it('are named with the right that is missing, for the cluster alone that refuses them', async () => {
    const { health } = made((cluster) => (cluster === 'east' ? [DENIED, DENIED.replaceAll('roles', 'pods')] : []));
    expect(await health()).toMatchObject({
      up: true,
      degraded: true,
      detail: expect.stringContaining(`1 of 2 clusters refuse requests: east (watches: ${DENIED} and 1 more watch);`),
      troubles: { east: `watches: ${DENIED} and 1 more watch` },
    });
  });

  it('stand beside what passes are refused', async () => {
    const { note, health } = made((cluster) => (cluster === 'east' ? [DENIED] : []));
    note(SHOP, refused('east'), 2);
    note({ cluster: 'west', namespace: 'shop' }, refused('west'), 2);
    const { troubles } = await health();
    expect(troubles).toEqual({
      east: `1 subject, namespace shop: subscriptions is forbidden: no right; watches: ${DENIED}`,
      west: '1 subject, namespace shop: subscriptions is forbidden: no right',
    });
  });
});

describe('requests that are refused', () => {
  it('are named from the second time in a row on, in one line, with what to do', async () => {
    const { note, health, counts } = made();
    note(SHOP, refused('east'));
    expect(await health()).toEqual({ up: true, detail: 'no cluster refuses requests', clusters: ['east', 'west'] });
    note(SHOP, DONE);
    note(SHOP, refused('east'));
    expect(counts.get('east')).toBe(0);
    note(SHOP, refused('east'));
    note({ cluster: 'east', extension: 'lamp' }, refused('east'), 2);
    expect(counts.get('east')).toBe(2);
    expect(await health()).toMatchObject({
      up: true,
      degraded: true,
      detail: expect.stringMatching(
        /^1 of 2 clusters refuse requests: east \(2 subjects, ClusterExtension lamp: .*forbidden: no right\); the verb "clusters check"/,
      ),
    });
  });

  it('are over once every subject had a pass without a refusal', async () => {
    const { note, health, counts } = made();
    note(SHOP, refused('east'), 3);
    note({ cluster: 'east', namespace: 'mill' }, DONE);
    expect(counts.get('east')).toBe(1);
    note(SHOP, { rounds: 1, result: 'waits', waitsFor: 'approval' });
    expect(counts.get('east')).toBe(0);
    expect((await health()).degraded).toBeUndefined();
  });

  it('are forgotten with the cluster, and where no pass of the subject comes any more', async () => {
    const { note, health, clock, refusals, counts } = made();
    note(SHOP, refused('east'), 2);
    note({ cluster: 'west', namespace: 'shop' }, refused('west'), 2);
    refusals.forget('east');
    expect(await health()).toMatchObject({ detail: expect.stringMatching(/^1 of 2 clusters .*: west/) });
    await clock.advance(3_600_001);
    expect((await health()).degraded).toBeUndefined();
    expect(counts.get('west')).toBe(0);
  });
});
