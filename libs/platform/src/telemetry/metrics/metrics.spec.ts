import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

const make = (clusterLimit = 50) => new Metrics({ processMetrics: false, clusterLimit });
const csv = { namespace: 'apps', name: 'etcd.v1', version: '1.0.0', phase: 'Succeeded', reason: 'InstallSucceeded' };

async function series(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('Metrics', () => {
  it('csv_abnormal follows the phase: one series while abnormal, none once succeeded or gone', async () => {
    const metrics = make();
    metrics.csv('east', { ...csv, phase: 'Pending', reason: 'RequirementsNotMet' });
    metrics.csv('east', { ...csv, phase: 'Failed', reason: 'InstallCheckFailed' });
    const labels = 'cluster="east",namespace="apps",name="etcd.v1",version="1.0.0"';
    expect(await series(metrics, 'csv_abnormal')).toEqual([
      `csv_abnormal{${labels},phase="Failed",reason="InstallCheckFailed"} 1`,
    ]);
    expect(await series(metrics, 'csv_succeeded')).toEqual([`csv_succeeded{${labels}} 0`]);
    metrics.csv('east', csv);
    expect(await series(metrics, 'csv_abnormal')).toEqual([]);
    expect(await series(metrics, 'csv_succeeded')).toEqual([`csv_succeeded{${labels}} 1`]);
    metrics.csvGone('east', 'apps', 'etcd.v1');
    expect(await series(metrics, 'csv_succeeded')).toEqual([]);
  });

  it('clusters beyond the limit share series whose value is the sum', async () => {
    const metrics = make(1);
    metrics.csv('east', csv);
    metrics.csv('west', csv);
    metrics.csv('north', { ...csv, name: 'other.v1' });
    metrics.csv('north', { ...csv, name: 'third.v1', phase: 'Failed', reason: 'x' });
    expect(await series(metrics, 'csv_succeeded')).toEqual([
      'csv_succeeded{cluster="east",namespace="apps",name="etcd.v1",version="1.0.0"} 1',
      'csv_succeeded{cluster="",namespace="",name="",version=""} 2',
    ]);
    metrics.csvGone('north', 'apps', 'other.v1');
    expect((await series(metrics, 'csv_succeeded')).at(-1)).toBe(
      'csv_succeeded{cluster="",namespace="",name="",version=""} 1',
    );
  });

  it('flotilla_logins counts logins by how they end', async () => {
    const metrics = make();
    expect(await series(metrics, 'flotilla_logins')).toEqual([]);
    metrics.logins.countBy(() => ({ endless: 1, bounded: 199, others: 0 }));
    expect(await series(metrics, 'flotilla_logins')).toEqual([
      'flotilla_logins{kind="endless"} 1',
      'flotilla_logins{kind="bounded"} 199',
      'flotilla_logins{kind="others"} 0',
    ]);
  });

  it('subscription_sync_total drops the series of a Subscription whose labels changed', async () => {
    const metrics = make();
    const facts = {
      namespace: 'apps',
      name: 'etcd',
      installed: '',
      channel: 'stable',
      package: 'etcd',
      approval: 'Manual',
    };
    metrics.subscriptionSynced('east', facts);
    metrics.subscriptionSynced('east', { ...facts, installed: 'etcd.v1' });
    metrics.subscriptionSynced('east', { ...facts, installed: 'etcd.v1' });
    expect(await series(metrics, 'subscription_sync_total')).toEqual([
      'subscription_sync_total{cluster="east",name="etcd",installed="etcd.v1",channel="stable",package="etcd",approval="Manual"} 2',
    ]);
    metrics.subscriptionGone('east', 'apps', 'etcd');
    expect(await series(metrics, 'subscription_sync_total')).toEqual([]);
  });

  it('syncs of Subscriptions beyond the limit of clusters are counted together, by package, channel and approval', async () => {
    const metrics = make(1);
    const facts = {
      namespace: 'apps',
      name: 'etcd',
      installed: 'etcd.v1',
      channel: 'stable',
      package: 'etcd',
      approval: 'Manual',
    };
    for (const cluster of ['east', 'west', 'north']) metrics.subscriptionSynced(cluster, facts);
    metrics.subscriptionSynced('north', { ...facts, installed: 'etcd.v2' });
    metrics.subscriptionGone('west', 'apps', 'etcd');
    metrics.subscriptionGone('east', 'apps', 'etcd');
    expect(await series(metrics, 'subscription_sync_total')).toEqual([
      'subscription_sync_total{cluster="",name="",installed="",channel="stable",package="etcd",approval="Manual"} 3',
    ]);
  });

  it('counts from nothing on, so that a first increase is one; and forgets the counts of a cluster that is left', async () => {
    const metrics = make();
    metrics.csvUpgradesCounted('east');
    metrics.installPlanWarnings('east', 0);
    expect(await series(metrics, 'csv_upgrade_count')).toEqual(['csv_upgrade_count{cluster="east"} 0']);
    expect(await series(metrics, 'installplan_warnings_total')).toEqual([
      'installplan_warnings_total{cluster="east"} 0',
    ]);
    metrics.objectCounts('east', { csvs: 3 });
    metrics.clusterUnwatched('east');
    expect(await series(metrics, 'csv_count')).toEqual([]);
  });

  it('reports of each ClusterExtension whether it has its bundle, and what is wrong with it as long as it is', async () => {
    const metrics = make(1);
    const facts = { name: 'lamp', package: 'lamp', version: '1.0.0' };
    const abnormal = { condition: 'Progressing', reason: 'Retrying' };
    metrics.extensions.noted('east', { ...facts, version: '' }, { installed: false, abnormal });
    expect(await series(metrics, 'flotilla_extension_abnormal')).toEqual([
      'flotilla_extension_abnormal{cluster="east",name="lamp",package="lamp",version="",condition="Progressing",reason="Retrying"} 1',
    ]);
    metrics.extensions.noted('east', facts, { installed: true });
    metrics.extensions.noted('west', facts, { installed: true, abnormal });
    expect(await series(metrics, 'flotilla_extension_installed')).toEqual([
      'flotilla_extension_installed{cluster="east",name="lamp",package="lamp",version="1.0.0"} 1',
      'flotilla_extension_installed{cluster="",name="",package="",version=""} 1',
    ]);
    expect(await series(metrics, 'flotilla_extension_abnormal')).toEqual([
      'flotilla_extension_abnormal{cluster="",name="",package="",version="",condition="Progressing",reason="Retrying"} 1',
    ]);
    metrics.extensions.gone('east', 'lamp');
    metrics.extensions.gone('west', 'lamp');
    expect(await series(metrics, 'flotilla_extension_abnormal')).toEqual([expect.stringMatching(/ 0$/)]);
  });

  it('reports which clusters are left to OLM', async () => {
    const metrics = make();
    metrics.clusterHeld('east', true);
    metrics.clusterHeld('west', false);
    expect(await series(metrics, 'flotilla_cluster_left_to_olm')).toEqual([
      'flotilla_cluster_left_to_olm{cluster="east"} 1',
      'flotilla_cluster_left_to_olm{cluster="west"} 0',
    ]);
  });

  it('a catalog has its readiness and, from the first state on, a counter of reads', async () => {
    const metrics = make();
    metrics.catalogReady('east', 'olm', 'community', false);
    metrics.catalogRead('east', 'olm', 'community');
    const labels = '{cluster="east",namespace="olm",name="community"}';
    expect(await series(metrics, 'catalogsource_ready')).toEqual([`catalogsource_ready${labels} 0`]);
    expect(await series(metrics, 'catalog_source_snapshots_total')).toEqual([
      `catalog_source_snapshots_total${labels} 1`,
    ]);
    metrics.catalogGone('east', 'olm', 'community');
    expect(await series(metrics, 'catalogsource_ready')).toEqual([]);
  });

  it('reads of catalogs beyond the limit of clusters are counted together, and stay when one of them goes', async () => {
    const metrics = make(1);
    for (const cluster of ['east', 'west', 'north']) metrics.catalogReady(cluster, 'olm', 'community', true);
    for (const cluster of ['east', 'west', 'north']) metrics.catalogRead(cluster, 'olm', 'community');
    metrics.catalogGone('north', 'olm', 'community');
    metrics.catalogGone('east', 'olm', 'community');
    expect(await series(metrics, 'catalog_source_snapshots_total')).toEqual([
      'catalog_source_snapshots_total{cluster="",namespace="",name=""} 2',
    ]);
    expect(await series(metrics, 'catalogsource_ready')).toEqual([
      'catalogsource_ready{cluster="",namespace="",name=""} 1',
    ]);
  });

  it('has OLM’s other series under their names', async () => {
    const metrics = make();
    metrics.objectCounts('east', { csvs: 3, installPlans: 2, subscriptions: 1, catalogSources: 4 });
    metrics.csvUpgradeBegun('east');
    metrics.installPlanWarnings('east', 2);
    metrics.resolved('succeeded', 0.2);
    expect(await series(metrics, 'csv_count')).toEqual(['csv_count{cluster="east"} 3']);
    expect(await series(metrics, 'install_plan_count')).toEqual(['install_plan_count{cluster="east"} 2']);
    expect(await series(metrics, 'subscription_count')).toEqual(['subscription_count{cluster="east"} 1']);
    expect(await series(metrics, 'catalog_source_count')).toEqual(['catalog_source_count{cluster="east"} 4']);
    expect(await series(metrics, 'csv_upgrade_count')).toEqual(['csv_upgrade_count{cluster="east"} 1']);
    expect(await series(metrics, 'installplan_warnings_total')).toEqual([
      'installplan_warnings_total{cluster="east"} 2',
    ]);
    expect(await series(metrics, 'olm_resolution_duration_seconds_count')).toEqual([
      'olm_resolution_duration_seconds_count{outcome="succeeded"} 1',
    ]);
  });

  it('has how long jobs of each queue waited and took', async () => {
    const metrics = make();
    metrics.jobFinished({ queue: 'apply', outcome: 'completed', waitedSeconds: 40, seconds: 2 });
    expect(await series(metrics, 'flotilla_job_wait_seconds_sum')).toEqual([
      'flotilla_job_wait_seconds_sum{queue="apply"} 40',
    ]);
    expect(await series(metrics, 'flotilla_job_duration_seconds_sum')).toEqual([
      'flotilla_job_duration_seconds_sum{queue="apply",outcome="completed"} 2',
    ]);
  });

  it('counts jobs by state at each scrape, and leaves out a queue that does not answer', async () => {
    const metrics = make();
    let waiting = 1;
    metrics.watchQueues([
      {
        name: 'apply',
        counts: async () => ({ waiting: waiting++, active: 0, delayed: 0, completed: 0, failed: 0, 'set-aside': 0 }),
      },
      { name: 'broken', counts: () => Promise.reject(new Error('no Redis')) },
      { name: 'silent', counts: () => new Promise(() => undefined) },
    ]);
    await series(metrics, 'bullmq_job_count');
    const second = await series(metrics, 'bullmq_job_count');
    expect(second).toContain('bullmq_job_count{queue="apply",state="waiting"} 2');
    expect(second).toHaveLength(6);
  });

  it('has no series of a cluster that has left, and gives its place to another', async () => {
    const metrics = make(1);
    const csv = (name: string) => ({ namespace: 'apps', name, version: '1.0.0', phase: 'Failed', reason: 'X' });
    for (const cluster of ['east', 'west']) {
      metrics.csv(cluster, csv('etcd.v1'));
      metrics.clusterBudget(cluster, { reads: 1, bytes: 2 });
      metrics.catalogReady(cluster, 'olm', 'community', true);
      metrics.installPlanWarnings(cluster, 1);
      metrics.extensions.rolledOut(cluster, 3);
    }
    await metrics.clusterGone('east');
    const text = await metrics.registry.metrics();
    expect(text.split('\n').filter((line) => line.includes('cluster="east"'))).toEqual([]);
    expect(await series(metrics, 'flotilla_cluster_kept_bytes')).toEqual([
      'flotilla_cluster_kept_bytes{cluster="west"} 2',
    ]);
    metrics.csv('north', csv('etcd.v1'));
    expect((await series(metrics, 'csv_succeeded')).join()).toContain('cluster="north"');
  });
});
