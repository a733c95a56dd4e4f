import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleEntry, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import { HubKey } from '#platform/keys/hub-key';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { silentLog } from '#platform/telemetry/log.port';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo, settled } from './classic-cluster.fixture.js';
import { phases } from './csvs/csvs.fixture.js';
import { type StagesHub, stagesOf } from './stages.js';
import { plansIn, ResolutionBench, shelf, subscribe, subscription } from './subscriptions/subscriptions.fixture.js';

let at: ClassicCluster;
let bench: ResolutionBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  bench = new ResolutionBench();
  shelf(at);
  bench.bundle('lamp', '1.0.0', [objectOf('ConfigMap', 'settings', undefined, { data: { glow: 'warm' } })]);
});
afterEach(() => at.stop());

const KEY = HubKey.random();
const LAMP = samplePackage('lamp', sampleEntry('lamp', '1.0.0'));
const hub = (): StagesHub => ({
  problems: bench.store,
  bundlePulls: BundlePulls.withoutTurns(bench.plans.registry),
  content: bench.plans.content,
  log: silentLog,
  metrics: { installPlanWarnings: () => undefined } as unknown as StagesHub['metrics'],
  refused: { note: () => undefined } as unknown as StagesHub['refused'],
  key: KEY,
  queues: memoryQueues(),
  settings: {
    bundleUnpackTimeout: 0,
    foreignInstallPlans: 'refuse',
    installPlanRetryTimeout: 60_000,
    protectedCopiedCsvNamespaces: [],
  },
});
/** An untouched namespace: the group has no status yet. */
function shop(): void {
  at.cluster.create(objectOf('Namespace', 'shop'));
  at.cluster.create(objectOf('OperatorGroup', 'shop-group', 'shop', { spec: { targetNamespaces: ['shop'] } }));
  subscribe(at);
}

describe('a pass over a namespace', () => {
  it('installs what is desired: group, plan, CSV, Deployment, conditions and Operator, and then rests', async () => {
    shop();
    const stages = stagesOf(hub());
    await at.pass('shop', stages);
    await bench.solve(at, [LAMP]);
    await at.pass('shop', stages);
    await settled();
    await at.pass('shop', stages);
    expect(phases(at, 'shop')).toEqual(['lamp.v1.0.0 Succeeded InstallSucceeded']);
    expect(plansIn(at)).toMatchObject([{ status: { phase: 'Complete' } }]);
    expect(at.status(subscription())).toMatchObject({ installedCSV: 'lamp.v1.0.0', state: 'AtLatestKnown' });
    expect(at.names('OperatorCondition', 'shop')).toEqual(['shop/lamp.v1.0.0']);
    expect(at.names('Operator')).toEqual(['lamp.shop']);
    await bench.solve(at, [LAMP]);
    await at.pass('shop', stages);
    at.writes();
    expect(await at.pass('shop', stages)).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it('is the same where it reads from a cache that learns of its own writes alone', async () => {
    shop();
    const stages = stagesOf(hub());
    await at.pass('shop', stages, { reads: at.laggingReads() });
    await bench.solve(at, [LAMP]);
    await at.pass('shop', stages, { reads: at.laggingReads() });
    await settled();
    await at.pass('shop', stages, { reads: at.laggingReads() });
    expect(phases(at, 'shop')).toEqual(['lamp.v1.0.0 Succeeded InstallSucceeded']);
  });

  it('that is killed at any of its writes is finished by the next ones', async () => {
    shop();
    const isWrite = (verb: string) => ['create', 'update', 'patch', 'delete'].includes(verb);
    const ends: string[] = [];
    for (let kill = 0; kill < 40; kill += 3) {
      let left = kill;
      at.cluster.lossOf = ({ verb }) => {
        if (isWrite(verb)) left -= 1;
        return left === -1 && isWrite(verb) ? 'answer' : undefined;
      };
      await bench.solve(at, [LAMP]);
      ends.push((await at.pass('shop', stagesOf(hub()))).result);
      await settled();
    }
    expect(ends.filter((end) => end === 'failed').length, 'passes that were killed').toBeGreaterThan(3);
    expect(phases(at, 'shop')).toEqual(['lamp.v1.0.0 Succeeded InstallSucceeded']);
    expect(plansIn(at)).toMatchObject([{ status: { phase: 'Complete' } }]);
    expect(at.get(refTo('ConfigMap', 'settings', 'shop'))?.['data']).toEqual({ glow: 'warm' });
  });

  it('that is interrupted begins anew at once', async () => {
    shop();
    const stop = new AbortController();
    stop.abort();
    expect(await at.pass('shop', stagesOf(hub()), { signal: stop.signal })).toMatchObject({
      result: 'again',
      againAfterMs: 0,
    });
    expect(at.writes()).toEqual([]);
  });

  it('a namespace that is empty, or gone, costs no write', async () => {
    expect(await at.pass('gone', stagesOf(hub()))).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it('a stage that is refused does not hold up the others', async () => {
    shop();
    const stages = stagesOf(hub());
    at.cluster.failAll({ verb: 'patch', resource: 'namespaces' }, new Refusal(403, 'Forbidden', 'no labels'));
    await at.pass('shop', stages);
    await bench.solve(at, [LAMP]);
    expect(await at.pass('shop', stages)).toMatchObject({ result: 'refused', error: { said: 'no labels' } });
    expect(at.conditions(subscription()).join()).toContain('AllCatalogSourcesHealthy');
  });
});
