import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMP_OPERATOR, LAMPS } from './applier-support/lamp-operator.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const CLUSTERS = { 'lab-1': {}, 'lab-2': {}, 'lab-3': {}, 'lab-4': {} };
const made = (version: string, replaces?: string) => ({
  version,
  objects: [],
  deployments: [madeDeployment('lamp', 'lamp')],
  ...(replaces === undefined ? {} : { replaces }),
});

describe('writes to the hub API', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start(CLUSTERS, LAMPS);
    for (const bench of fleet.benches) await offer(bench, 'lamp', [made('1.0.0')]);
    await fleet.apply('FleetStrategy', 's', { waves: [{ name: 'all', maxConcurrent: '100%' }] });
    await fleet.apply('FleetOperator', 'lamp', LAMP_OPERATOR);
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the first version');
    await fleet.pass();
  });
  afterAll(() => fleet.stop());

  /** The requests that write since the last call, as `<kind> <what>`. */
  const writes = () => {
    const { requests } = fleet.hub.cluster;
    const paths = requests.writes().map(({ path }) => path);
    requests.clear();
    return paths.map((path) => path.replace(/^.*\/v1alpha1\/(namespaces\/platform\/)?/, ''));
  };
  const about = (all: readonly string[], part: string) => all.filter((path) => path.startsWith(part));

  it('are five for a cluster that is upgraded, few for its rollout, and none at rest', async () => {
    writes();
    for (const bench of fleet.benches) await offer(bench, 'lamp', [made('1.0.0'), made('1.1.0', '1.0.0')]);
    await fleet.until(() => fleet.rollout('lamp-2').phase === 'Completed', 'the upgrade');
    const all = writes();
    const names = Object.keys(CLUSTERS);
    const reports = names.map((name) => about(all, `fleetassignments/${name}/status`).length);
    expect(reports, 'planned, running, ready').toEqual([3, 3, 3, 3]);
    const rows = names.map((name) => all.filter((path) => path === `fleetassignments/${name}`).length);
    expect(rows, 'begun, done').toEqual([2, 2, 2, 2]);
    expect(about(all, 'fleetrollouts/lamp-2').length, 'begun, done, each with its status').toBeLessThanOrEqual(6);
    await fleet.pass();
    writes();
    for (let pass = 0; pass < 5; pass++) {
      await fleet.clock.advance(60_000);
      await fleet.pass();
    }
    expect(writes()).toEqual([]);
  });
});
