import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { type MadeVersion, madeCrd, madeDeployment, offer } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { describeClassicPackages } from '../story/classic-package-stories.js';
import { describeClassicServing } from '../story/classic-serving-stories.js';
import { describeClassicUpgrades } from '../story/classic-upgrade-stories.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const SOURCE = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' } as const;

describe('InstallPlans that fail on a real API server, and the advice that explain gives', () => {
  let registry: InMemoryRegistry;
  let east: KubeClient;
  let kubeconfig = '';
  const endings: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    registry = await startRegistry();
    const plane = await startControlPlane({ clusters: 1 });
    endings.push(
      () => registry.stop(),
      () => plane.stop(),
    );
    const kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    kubeconfig = kubeconfigs[0] ?? '';
    const [client] = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
    if (client === undefined) throw new Error('a control plane without clusters');
    endings.push(() => client.close());
    east = client;
    await serveCrds(east);
    const settings = { FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: '3s' };
    endings.push((await startQuickEnvironment({ registry, kubeconfigs, settings })).stop);
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });
  beforeEach(() => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
    return () => vi.unstubAllEnvs();
  });

  const published = new Map<string, string>();
  /** The catalog of the namespace offers these packages from now on. Returns its image. */
  async function publishAll(
    name: string,
    edition: number,
    packages: Readonly<Record<string, readonly MadeVersion[]>>,
  ): Promise<string> {
    const offered: BundleFile[] = [];
    for (const [one, versions] of Object.entries(packages)) await offer({ registry, offered }, one, versions);
    const files = Object.fromEntries(offered.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
    const reference = `made/${name}-shelf:${edition}`;
    registry.put(reference, await fixture.catalogImage(files));
    const image = `${registry.host}/${reference}`;
    const address = await fixture.contentAddress(east, name);
    if (edition === 1) await fixture.createCatalog(east, name, { image });
    else await east.patch({ ...SOURCE, name: 'shelf', namespace: name }, { spec: { image } });
    const [before, now] = [published.get(name), JSON.stringify(files)];
    published.set(name, now);
    // The catalog is the same if another bundle is behind the same name.
    const isOther = before !== undefined && before !== now;
    if (isOther) await expect.poll(() => fixture.contentAddress(east, name), PATIENCE).not.toBe(address);
    return image;
  }
  const publish = (name: string, edition: number, versions: readonly MadeVersion[]) =>
    publishAll(name, edition, { [name]: versions });
  const runs = (name: string, ...versions: string[]) =>
    expect.poll(() => fixture.operators(east, name), PATIENCE).toEqual(versions);
  const failed = (name: string, says: RegExp) =>
    expect
      .poll(() => fixture.subscriptionStatus(east, name, name), PATIENCE)
      .toEqual(expect.arrayContaining([expect.stringMatching(says)]));
  /** The commands that `explain` advises. */
  async function advised(name: string): Promise<string[]> {
    const { out } = await runFlotilla(['explain', 'subscription', name, '-n', name, '-C', east.cluster]);
    expect(out).not.toMatch(/delete (the |this )?(install)?plan/i);
    return [...out.matchAll(/: flotilla (retry .*)$/gm)].map(([, command = '']) => command);
  }

  it('an upgrade whose tightened CRD an object does not fit goes on once the object is deleted', async () => {
    const group = 'bolt.example.com';
    const sized = (maximum: object) =>
      madeCrd({ kind: 'Bolt', group }, [
        { name: 'v1', storage: true, properties: { size: { type: 'integer', ...maximum } } },
      ]);
    const first = { version: '1.0.0', objects: [sized({})] };
    await fixture.createNamespace(east, 'bolt');
    await publish('bolt', 1, [first]);
    await fixture.subscribe(east, 'bolt', 'bolt');
    await runs('bolt', 'bolt.v1.0.0 Succeeded');
    const big = { apiVersion: `${group}/v1`, kind: 'Bolt', metadata: { name: 'big', namespace: 'bolt' } };
    await east.create({ ...big, spec: { size: 7 } });
    await publish('bolt', 2, [first, { version: '1.1.0', replaces: '1.0.0', objects: [sized({ maximum: 5 })] }]);
    await failed('bolt', /^InstallPlanFailed .*updated validation is too restrictive/);
    await runs('bolt', 'bolt.v1.0.0 Replacing', 'bolt.v1.1.0 Pending');
    const [again = ''] = await advised('bolt');
    await east.delete({ apiVersion: big.apiVersion, kind: 'Bolt', name: 'big', namespace: 'bolt' });
    expect((await runFlotilla(again.split(' '))).exit).toBe(0);
    await runs('bolt', 'bolt.v1.1.0 Succeeded');
  });

  it('a CSV that leaves out what Go writes as empty, in another version of its API, does not fail', async () => {
    const crd = madeCrd({ kind: 'Plug', group: 'plug.example.com' }, [{ name: 'v1', storage: true }]);
    const owned = [
      { name: crd.metadata.name, version: 'v1', kind: 'Plug', resources: [{ kind: 'Pod', version: 'v1' }] },
    ];
    const left = {
      displayName: null,
      icon: [{ base64data: '' }],
      relatedImages: [{ image: 'example.com/a' }],
      cleanup: {},
    };
    const modes = { installModes: [{ type: 'OwnNamespace', supported: true }, { type: 'MultiNamespace' }] };
    const deployment = { ...madeDeployment('plug', 'plug'), label: null };
    const spec = { ...left, ...modes, keywords: null, customresourcedefinitions: { owned }, replaces: null };
    const csv = { apiVersion: 'v1alpha1' };
    await fixture.createNamespace(east, 'plug');
    await publish('plug', 1, [{ version: '1.0.0', objects: [crd], deployments: [deployment], spec, csv }]);
    await fixture.subscribe(east, 'plug', 'plug');
    await runs('plug', 'plug.v1.0.0 Succeeded');
  });

  it('a first install with an object of a kind that is not served is made anew from the corrected catalog', async () => {
    const budget = (apiVersion: string) => ({
      ...{ apiVersion, kind: 'PodDisruptionBudget', metadata: { name: 'budget' } },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
    });
    const version = (api: string) => ({
      version: '1.0.0',
      objects: [budget(api), madeCrd({ kind: 'Clip', group: 'clip.example.com' }, [{ name: 'v1', storage: true }])],
    });
    await fixture.createNamespace(east, 'clip');
    await publish('clip', 1, [version('policy/v1beta1')]);
    await fixture.subscribe(east, 'clip', 'clip');
    await failed(
      'clip',
      /^InstallPlanFailed .*PodDisruptionBudget budget of bundle clip.v1.0.0: this cluster does not serve policy\/v1beta1/,
    );
    await publish('clip', 2, [version('policy/v1')]);
    await expect.poll(() => fixture.catalogStatus(east, 'clip'), PATIENCE).toBe('READY');
    const anew = (await advised('clip')).at(-1) ?? '';
    expect(anew).toContain('--replan');
    expect((await runFlotilla(anew.split(' '))).exit).toBe(0);
    await runs('clip', 'clip.v1.0.0 Succeeded');
    expect(
      await east.get({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', name: 'budget', namespace: 'clip' }),
    ).toBeDefined();
  });

  describeClassicUpgrades({ client: () => east, publish: publishAll });
  describeClassicPackages({ client: () => east, publish: publishAll });
  describeClassicServing({ client: () => east, publish: publishAll });
});
