import { beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { selects } from '#platform/kube/cache/selects';
import type { ListOptions } from '#platform/kube/client/kube-client.port';
import { inPhase, lampCsv } from '../../classic/csvs/csvs.fixture.js';
import { RightsChanges } from './rights-changes.js';

let clock: ManualClock;
let csvs: KubernetesObject[] | undefined;
let affected: string[];
let changes: RightsChanges;
let lists: number;

beforeEach(() => {
  clock = new ManualClock();
  affected = [];
  lists = 0;
  csvs = [
    lampCsv('waits', 'lamp.v1', { status: inPhase('Pending', 'RequirementsNotMet') }),
    lampCsv('lost', 'lamp.v1', { status: inPhase('Failed', 'RequirementsNotMet') }),
    lampCsv('runs', 'lamp.v1', { status: inPhase('Succeeded', 'InstallSucceeded') }),
    lampCsv('guest', 'lamp.v1', {
      metadata: { labels: { 'olm.copiedFrom': 'waits' } },
      status: inPhase('Pending', 'Copied'),
    }),
  ];
  const list = (_: unknown, options: ListOptions) => {
    lists += 1;
    const selected = selects(options);
    return csvs?.filter((csv) => selected?.(csv) ?? true);
  };
  changes = new RightsChanges({ clock, csvs: { list }, onAffected: (namespace) => affected.push(namespace) });
});

const role = (namespace: string | undefined, labels: Record<string, string> = {}): KubernetesObject['metadata'] => ({
  name: 'clerk',
  labels,
  ...(namespace === undefined ? {} : { namespace }),
});

describe('rights that a user grants with objects of their own (differences-from-olm.md)', () => {
  it.each(['ServiceAccount', 'Role', 'RoleBinding'])(
    'a %s: operators of its namespace whose requirements are open',
    async (kind) => {
      for (const namespace of ['waits', 'runs', 'empty']) changes.note(kind, role(namespace));
      await clock.advance(1_000);
      expect(affected).toEqual(['waits']);
    },
  );

  it.each(['ClusterRole', 'ClusterRoleBinding'])(
    'a %s: such operators of every namespace, copies left out',
    async (kind) => {
      changes.note(kind, role(undefined));
      await clock.advance(1_000);
      expect(affected).toEqual(['lost', 'waits']);
    },
  );

  it('an operator that lost its rights is one of them', async () => {
    changes.note('RoleBinding', role('lost'));
    await clock.advance(1_000);
    expect(affected).toEqual(['lost']);
  });

  it.each([
    ['other kinds', () => changes.note('ConfigMap', role('waits'))],
    ['what the poller reports, by its label', () => changes.note('Role', role('waits', { 'olm.managed': 'true' }))],
  ])('%s are passed over', async (_, note) => {
    note();
    await clock.advance(1_000);
    expect([affected, lists]).toEqual([[], 0]);
  });

  it('several changes within a quarter of a second are one report, and the next change is another', async () => {
    for (let count = 0; count < 5; count += 1) changes.note('Role', role('waits'));
    await clock.advance(200);
    expect(affected).toEqual([]);
    changes.note('RoleBinding', role('lost'));
    await clock.advance(50);
    expect(affected).toEqual(['lost', 'waits']);
    await clock.advance(10_000);
    expect(affected).toHaveLength(2);
    changes.note('Role', role('waits'));
    await clock.advance(250);
    expect(affected).toEqual(['lost', 'waits', 'waits']);
  });

  it('a change of the whole cluster makes one list of all namespaces', async () => {
    changes.note('Role', role('waits'));
    changes.note('ClusterRole', role(undefined));
    await clock.advance(250);
    expect([affected, lists]).toEqual([['lost', 'waits'], 1]);
    changes.note('Role', role('waits'));
    await clock.advance(250);
    expect(affected.slice(2), 'that is over by the next report').toEqual(['waits']);
  });

  it('a cache that does not follow the cluster reports nothing: the next resync checks every operator', async () => {
    csvs = undefined;
    changes.note('ClusterRole', role(undefined));
    await clock.advance(250);
    expect(affected).toEqual([]);
  });

  it('nothing is reported after the end', async () => {
    changes.note('Role', role('waits'));
    changes.stop();
    await clock.advance(1_000);
    expect(affected).toEqual([]);
  });
});
