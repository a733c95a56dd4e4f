import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { PATIENCE } from '#testing/patience';
import { type MadeVersion, madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import * as fixture from './bad-input-fixture.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const PLAN: KindRef = { apiVersion: V1ALPHA1, kind: 'InstallPlan' };
const DEPLOYMENT: KindRef = { apiVersion: 'apps/v1', kind: 'Deployment' };
const ROLE: KindRef = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' };

/** The cluster, and its catalogs: `publish` puts packages into the catalog `shelf` of a namespace. */
export type UpgradeFixture = Readonly<{
  client: () => KubeClient;
  publish: (
    namespace: string,
    edition: number,
    packages: Readonly<Record<string, readonly MadeVersion[]>>,
  ) => Promise<string>;
}>;

/** Upgrades that the end-to-end suite of OLM plays. */
export function describeClassicUpgrades({ client, publish }: UpgradeFixture): void {
  const runs = (namespace: string, ...csvs: string[]) =>
    expect.poll(() => fixture.operators(client(), namespace), PATIENCE).toEqual(csvs);
  const names = async (kind: KindRef, namespace: string) =>
    ((await client().list(kind, { namespace }))?.items ?? []).map(({ metadata }) => metadata.name ?? '');
  const plans = async (namespace: string) =>
    ((await client().list(PLAN, { namespace }))?.items ?? []) as readonly (KubernetesObject & {
      spec: { approved: boolean };
      status?: { phase?: string };
    })[];
  const deployments = (namespace: string, ...wanted: string[]) =>
    expect.poll(() => names(DEPLOYMENT, namespace), PATIENCE).toEqual(wanted);
  const version = (number: string, replaces: string | undefined, more: Partial<MadeVersion> = {}): MadeVersion => ({
    version: number,
    objects: [],
    ...(replaces === undefined ? {} : { replaces }),
    ...more,
  });

  describe('an operator as its versions come', () => {
    const may = (name: string, ...resources: string[]) => ({
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [madeDeployment(name, 'oak')],
          permissions: [{ serviceAccountName: 'oak', rules: [{ apiGroups: [''], resources, verbs: ['get'] }] }],
        },
      },
    });
    const rights = async (csv: string) => {
      const roles = ((await client().list(ROLE, { namespace: 'oak' }))?.items ?? []) as readonly KubernetesObject[];
      const own = roles.filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === csv));
      return own.flatMap((role) =>
        (role['rules'] as { resources?: string[] }[]).flatMap(({ resources = [] }) => resources),
      );
    };
    const first = version('1.0.0', undefined, { spec: may('oak', 'pods') });
    const second = version('1.1.0', '1.0.0', { spec: may('oak-manager', 'pods', 'secrets') });

    it('may have another Deployment and more rights: the old ones go', async () => {
      await fixture.createNamespace(client(), 'oak');
      await publish('oak', 1, { oak: [first] });
      await fixture.subscribe(client(), 'oak', 'oak');
      await runs('oak', 'oak.v1.0.0 Succeeded');
      await publish('oak', 2, { oak: [first, second] });
      await runs('oak', 'oak.v1.1.0 Succeeded');
      await deployments('oak', 'oak-manager');
      expect(await rights('oak.v1.1.0')).toEqual(expect.arrayContaining(['pods', 'secrets']));
    });

    it('may have fewer rights', async () => {
      await publish('oak', 3, {
        oak: [first, second, version('1.2.0', '1.1.0', { spec: may('oak-manager', 'pods') })],
      });
      await runs('oak', 'oak.v1.2.0 Succeeded');
      expect(await rights('oak.v1.2.0')).not.toContain('secrets');
    });

    it('may be corrected in the CSV itself: a renamed Deployment takes the place of the old one', async () => {
      const ref = { apiVersion: V1ALPHA1, kind: 'ClusterServiceVersion', name: 'oak.v1.2.0', namespace: 'oak' };
      await client().patch(ref, { spec: may('oak-fixed', 'pods') });
      await deployments('oak', 'oak-fixed');
      await runs('oak', 'oak.v1.2.0 Succeeded');
    });

    it('may be upgraded after that: what was corrected by hand is that of the new version again', async () => {
      await publish('oak', 4, {
        oak: [first, second, version('1.3.0', '1.1.0', { skips: ['1.2.0'], spec: may('oak-manager', 'pods') })],
      });
      await runs('oak', 'oak.v1.3.0 Succeeded');
      await deployments('oak', 'oak-manager');
    });
  });

  it('an API passes from one operator to another, as both are upgraded', async () => {
    const owned = madeCrd({ kind: 'Burrow', group: 'den.example.com' }, [{ name: 'v1', storage: true }]);
    const [hare, fox] = [version('1.0.0', undefined, { objects: [owned] }), version('1.0.0', undefined)];
    await fixture.createNamespace(client(), 'den');
    await publish('den', 1, { hare: [hare], fox: [fox] });
    await fixture.subscribe(client(), 'den', 'hare');
    await fixture.subscribe(client(), 'den', 'fox');
    await runs('den', 'fox.v1.0.0 Succeeded', 'hare.v1.0.0 Succeeded');
    const next = {
      hare: [hare, version('2.0.0', '1.0.0')],
      fox: [fox, version('2.0.0', '1.0.0', { objects: [owned] })],
    };
    await publish('den', 2, next);
    await runs('den', 'fox.v2.0.0 Succeeded', 'hare.v2.0.0 Succeeded');
  });

  it('a plan that is deleted before its approval is made again, and installs once it is approved', async () => {
    await fixture.createNamespace(client(), 'asked');
    await publish('asked', 1, { yew: [version('1.0.0', undefined)] });
    await fixture.subscribe(client(), 'asked', 'yew', undefined, { installPlanApproval: 'Manual' });
    const waiting = async () => (await plans('asked')).filter(({ status }) => status?.phase === 'RequiresApproval');
    await expect.poll(async () => (await waiting()).length, PATIENCE).toBe(1);
    const [made] = await waiting();
    await client().delete({ ...PLAN, name: made?.metadata.name ?? '', namespace: 'asked' });
    const again = async () => (await waiting()).filter(({ metadata }) => metadata.uid !== made?.metadata.uid);
    await expect.poll(async () => (await again()).length, PATIENCE).toBe(1);
    const [plan] = await again();
    await client().patch(
      { ...PLAN, name: plan?.metadata.name ?? '', namespace: 'asked' },
      { spec: { approved: true } },
    );
    await runs('asked', 'yew.v1.0.0 Succeeded');
    const old = { name: plan?.metadata.name ?? '', namespace: 'asked' };
    await client().delete({ apiVersion: V1ALPHA1, kind: 'Subscription', name: 'yew', namespace: 'asked' });
    await client().delete({ ...PLAN, ...old });
    await client().delete({
      apiVersion: V1ALPHA1,
      kind: 'ClusterServiceVersion',
      name: 'yew.v1.0.0',
      namespace: 'asked',
    });
    await runs('asked');
    await fixture.subscribe(client(), 'asked', 'yew');
    await runs('asked', 'yew.v1.0.0 Succeeded');
    expect((await plans('asked')).map(({ metadata }) => metadata.name)).toEqual([made?.metadata.name]);
  });

  it('many catalogs with one content make one plan', async () => {
    await fixture.createNamespace(client(), 'many');
    const image = await publish('many', 1, { fir: [version('1.0.0', undefined)] });
    for (const name of ['a', 'b', 'c', 'd']) await fixture.createCatalog(client(), 'many', { image }, name);
    await fixture.subscribe(client(), 'many', 'fir');
    await runs('many', 'fir.v1.0.0 Succeeded');
    expect(await plans('many')).toHaveLength(1);
  });
}
