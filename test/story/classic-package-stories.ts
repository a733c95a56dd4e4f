import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { type MadeVersion, madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import * as fixture from './bad-input-fixture.js';
import type { UpgradeFixture } from './classic-upgrade-stories.js';

const SUBSCRIPTION = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' } as const;
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;

/** Stories of a Subscription from the suite of OLM: another package, failed plans, a deleted catalog. */
export function describeClassicPackages({ client, publish }: UpgradeFixture): void {
  const runs = (namespace: string, ...csvs: string[]) =>
    expect.poll(() => fixture.operators(client(), namespace), PATIENCE).toEqual(csvs);
  const statusOf = async (namespace: string, name: string) =>
    (await client().get<Subscription>({ ...SUBSCRIPTION, name, namespace }))?.status;
  const version = (number: string, more: Partial<MadeVersion> = {}): MadeVersion => ({
    version: number,
    objects: [],
    ...more,
  });

  it('a Subscription goes from one package to another, whose operator replaces that of the first', async () => {
    const owned = madeCrd({ kind: 'Nest', group: 'heron.example.com' }, [{ name: 'v1', storage: true }]);
    const heron = [version('1.0.0', { objects: [owned] })];
    const stork = [version('1.0.0', { objects: [owned], replaces: 'heron.v1.0.0' })];
    await fixture.createNamespace(client(), 'heron');
    await publish('heron', 1, { heron, stork });
    await fixture.subscribe(client(), 'heron', 'heron');
    await runs('heron', 'heron.v1.0.0 Succeeded');
    const before = (await statusOf('heron', 'heron'))?.installPlanRef?.name;
    await client().patch({ ...SUBSCRIPTION, name: 'heron', namespace: 'heron' }, { spec: { name: 'stork' } });
    await runs('heron', 'stork.v1.0.0 Succeeded');
    const ending = { state: 'AtLatestKnown', installedCSV: 'stork.v1.0.0', currentCSV: 'stork.v1.0.0' };
    await expect.poll(() => statusOf('heron', 'heron'), PATIENCE).toMatchObject(ending);
    expect((await statusOf('heron', 'heron'))?.installPlanRef?.name).not.toBe(before);
  });

  it('a package that does not follow on what is installed does not come; explain says why, and a way that works', async () => {
    const packages = { ibis: [version('1.0.0')], egret: [version('1.0.0')] };
    await fixture.createNamespace(client(), 'ibis');
    await publish('ibis', 1, packages);
    await fixture.subscribe(client(), 'ibis', 'ibis');
    await runs('ibis', 'ibis.v1.0.0 Succeeded');
    await client().patch({ ...SUBSCRIPTION, name: 'ibis', namespace: 'ibis' }, { spec: { name: 'egret' } });
    const explained = async () =>
      (await runFlotilla(['explain', 'subscription', 'ibis', '-n', 'ibis', '-C', client().cluster])).out;
    await expect.poll(explained, PATIENCE).toContain('there is no upgrade from ibis.v1.0.0: it replaces nothing');
    expect(await explained()).toContain('delete the Subscription and ClusterServiceVersion ibis.v1.0.0, and create');
    await client().delete({ ...SUBSCRIPTION, name: 'ibis', namespace: 'ibis' });
    await client().delete({ ...SUBSCRIPTION, kind: 'ClusterServiceVersion', name: 'ibis.v1.0.0', namespace: 'ibis' });
    await fixture.subscribe(client(), 'ibis', 'egret');
    await runs('ibis', 'egret.v1.0.0 Succeeded');
  });

  describe('where the group allows to fail forward, an InstallPlan that failed', () => {
    const pod = { metadata: { name: 'stray' }, spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] } };
    const refused: KubernetesObject = { apiVersion: 'v1', kind: 'Pod', ...pod };
    const good = version('0.1.0');
    const bad = version('0.2.0', { replaces: '0.1.0', objects: [refused] });
    const failed = async (name: string, csv: string) => {
      await expect
        .poll(() => statusOf(name, name), PATIENCE)
        .toMatchObject({
          currentCSV: csv,
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'InstallPlanFailed', status: 'True', reason: 'InstallComponentFailed' }),
          ]),
        });
      return (await statusOf(name, name))?.installPlanRef?.name;
    };
    /** Makes an operator whose version 0.2.0 cannot be installed. Returns the name of the failed plan. */
    const stopped = async (name: string, more: Readonly<Record<string, readonly MadeVersion[]>> = {}) => {
      await fixture.createNamespace(client(), name, []);
      await client().create({
        ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'own', namespace: name } },
        spec: { targetNamespaces: [name], upgradeStrategy: 'TechPreviewUnsafeFailForward' },
      });
      await publish(name, 1, { [name]: [good], ...more });
      await fixture.subscribe(client(), name, name);
      await runs(name, `${name}.v0.1.0 Succeeded`);
      await publish(name, 2, { [name]: [good, bad], ...more });
      return failed(name, `${name}.v0.2.0`);
    };

    it('gives way to a later version that skips it, though one between them failed, too', async () => {
      const first = await stopped('fern');
      const worse = version('0.2.1', { skips: ['0.1.0', '0.2.0'], objects: [refused] });
      await publish('fern', 3, { fern: [good, bad, worse] });
      expect(await failed('fern', 'fern.v0.2.1')).not.toBe(first);
      await publish('fern', 4, { fern: [good, bad, worse, version('0.3.0', { skips: ['0.1.0', '0.2.0', '0.2.1'] })] });
      await runs('fern', 'fern.v0.3.0 Succeeded');
      await expect.poll(async () => (await statusOf('fern', 'fern'))?.state, PATIENCE).toBe('AtLatestKnown');
    });

    it('stays where it had made its CSV, as in OLM, and is made anew by the command that explain prints', async () => {
      const monitor = { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor' };
      const unserved: KubernetesObject = {
        ...{ ...monitor, metadata: { name: 'monitor' } },
        spec: { endpoints: [{ port: 'http' }], selector: { matchLabels: { app: 'x' } } },
      };
      const half = version('0.2.1', { skips: ['0.1.0', '0.2.0'], objects: [unserved] });
      await stopped('sedge');
      await publish('sedge', 3, { sedge: [good, bad, half] });
      await failed('sedge', 'sedge.v0.2.1');
      await runs('sedge', 'sedge.v0.1.0 Replacing', 'sedge.v0.2.1 Pending');
      await publish('sedge', 4, { sedge: [good, bad, half, version('0.3.0', { skips: ['0.1.0', '0.2.0', '0.2.1'] })] });
      const explained = async () =>
        (await runFlotilla(['explain', 'subscription', 'sedge', '-n', 'sedge', '-C', client().cluster])).out;
      await expect.poll(explained, PATIENCE).toMatch(/: flotilla retry .* --replan/);
      const [, command = ''] = /: flotilla (retry .* --replan.*)$/m.exec(await explained()) ?? [];
      expect((await runFlotilla(command.split(' '))).exit).toBe(0);
      await runs('sedge', 'sedge.v0.3.0 Succeeded');
    });

    it('gives way to one with a skip range', async () => {
      await stopped('moss');
      await publish('moss', 3, { moss: [version('0.3.0', { skipRange: '<0.3.0' })] });
      await runs('moss', 'moss.v0.3.0 Succeeded');
    });

    it('stays where the later version replaces the one that failed', async () => {
      const plan = await stopped('peat', { reed: [version('1.0.0')] });
      const next = version('0.3.0', { replaces: '0.2.0' });
      await publish('peat', 3, { peat: [good, bad, next], reed: [version('1.0.0')] });
      await fixture.subscribe(client(), 'peat', 'reed');
      await runs('peat', 'peat.v0.1.0 Succeeded', 'reed.v1.0.0 Succeeded');
      expect(await statusOf('peat', 'peat')).toMatchObject({
        currentCSV: 'peat.v0.2.0',
        installedCSV: 'peat.v0.1.0',
        installPlanRef: { name: plan },
      });
    });
  });

  it('an operator whose catalog was deleted runs on, takes its config, and gets lost Deployments back', async () => {
    const where = 'kelp';
    const deployment = { ...DEPLOYMENT, name: 'kelp', namespace: where };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'kelp', namespace: where };
    const variables = async () => {
      const { template } = Object((await client().get(deployment))?.['spec']);
      const env: readonly { name: string; value?: string }[] = template?.spec.containers[0].env ?? [];
      return env.map(({ name, value }) => `${name}=${value}`);
    };
    await fixture.createNamespace(client(), where);
    await publish(where, 1, { kelp: [version('1.0.0', { deployments: [madeDeployment('kelp', 'kelp')] })] });
    await fixture.subscribe(client(), where, 'kelp');
    await runs(where, 'kelp.v1.0.0 Succeeded');
    const [before, owner] = [await client().get(deployment), await client().get(account)];
    await fixture.deleteCatalog(client(), where);
    await expect
      .poll(() => fixture.subscriptionStatus(client(), where, 'kelp'), PATIENCE)
      .toEqual(expect.arrayContaining([expect.stringMatching(/^CatalogSourcesUnhealthy /)]));
    const env = [{ name: 'TIDE', value: 'high' }];
    await client().patch({ ...SUBSCRIPTION, name: 'kelp', namespace: where }, { spec: { config: { env } } });
    await expect.poll(variables, PATIENCE).toContain('TIDE=high');
    await runs(where, 'kelp.v1.0.0 Succeeded');
    expect((await client().get(deployment))?.metadata.uid).toBe(before?.metadata.uid);
    await client().delete(deployment);
    await expect.poll(variables, PATIENCE).toContain('TIDE=high');
    await runs(where, 'kelp.v1.0.0 Succeeded');
    expect((await client().get(account))?.metadata.uid).toBe(owner?.metadata.uid);
    expect(await statusOf(where, 'kelp')).toMatchObject({ installedCSV: 'kelp.v1.0.0' });
  });
}
