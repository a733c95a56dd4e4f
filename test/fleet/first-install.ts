import { expect } from 'vitest';
import { LONG_PATIENCE } from '#testing/patience';
import type { FleetHub } from './fleet-hub.js';

const LIGHTS = 'lights';
const PACKAGE = 'lighthouse-operator';

/** An operator that no cluster has: planned everywhere without a write, then brought there in its waves. */
export async function installWhereNothingIs(fleet: FleetHub): Promise<void> {
  const [lab = ''] = fleet.names;
  const installed = (name: string) => fleet.installed(name, PACKAGE, LIGHTS);
  const namespaceOf = (name: string) => fleet.client(name).get({ apiVersion: 'v1', kind: 'Namespace', name: LIGHTS });
  await fleet.apply('FleetStrategy', 'asked', {
    waves: [{ name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } }],
    approval: { default: 'Manual' },
  });
  await fleet.apply('FleetOperator', 'lights', {
    package: PACKAGE,
    namespace: LIGHTS,
    catalog: { name: 'flotilla-samples' },
    // It is in another namespace already, as a dependency: groups that watch different ones do not meet.
    classic: { channel: 'stable', operatorGroup: { targetNamespaces: [LIGHTS] } },
    strategyRef: { name: 'asked' },
  });
  const classes = async () => {
    const { classes: found = [] } = (await fleet.status('FleetRollout', 'lights-1')) as {
      classes?: readonly Readonly<{ hash: string; approval: string; changes: readonly string[] }>[];
    };
    return found;
  };
  const waiting = async () => (await classes()).map(({ approval, changes }) => [approval, changes.includes('Install')]);
  await expect.poll(waiting, LONG_PATIENCE).toEqual([['Waiting', true]]);
  for (const name of fleet.names) expect(await namespaceOf(name)).toBeUndefined();
  await fleet.apply('FleetDecision', 'approve-lights-1', {
    rollout: 'lights-1',
    action: 'Approve',
    class: (await classes())[0]?.hash,
    reason: 'CHG-1183',
    by: { user: 'anna', groups: [] },
  });
  const phase = async () => (await fleet.status('FleetRollout', 'lights-1'))['phase'];
  await expect.poll(phase, LONG_PATIENCE).toBe('Completed');
  const first = await installed(lab);
  expect(first).toMatch(/^lighthouse-operator\.v1\./);
  for (const name of fleet.names) expect(await installed(name)).toBe(first);
}
