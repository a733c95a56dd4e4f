import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { CATALOG_NAME_LABEL } from '#core/v1/extension/catalog-query';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { catalogImage } from '../story/bad-input-fixture.js';
import { bundleImage, ExtensionFixture, packageBlobs } from '../story/extension-fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

/** Reads the policy from docs/extension-rights.md, so that the text of the page is tested. */
async function documentedPolicy(): Promise<KubernetesObject[]> {
  const page = await readFile(new URL('../../docs/extension-rights.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const recipe = blocks.find((text) => text.includes('ValidatingAdmissionPolicy')) ?? '';
  return recipe.split(/^---$/m).map((text) => KubernetesObject.parse(load(text)));
}

/** The catalog and package of lamp-team. */
const CATALOG = { packageName: 'lamp', selector: { matchLabels: { [CATALOG_NAME_LABEL]: 'community' } } };
const ALLOWED = { namespace: 'lights', serviceAccount: { name: 'installer' } };
const from = (catalog: object) => ({ sourceType: 'Catalog', catalog });
const extension = (name: string, spec: object = {}) => ({
  ...CLUSTER_EXTENSION_API,
  metadata: { name },
  spec: { ...ALLOWED, source: from(CATALOG), ...spec },
});

describe('an administrator who narrows what a team may install (spec: v1-scenarios.md, "vap-access-control.feature")', () => {
  let east: ExtensionFixture;
  let tenant: KubeClient;
  const endings: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const registry = await startRegistry();
    const plane = await startControlPlane({ clusters: 1 });
    endings.push(
      () => plane.stop(),
      () => registry.stop(),
    );
    const kubeconfigs = plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath);
    const [installing] = await loadClusters({ kubeconfigs, fieldManager: 'e2e' });
    if (installing === undefined) throw new Error('a control plane without clusters');
    endings.push(() => installing.close());
    await serveCrds(installing);
    const { stop } = await startQuickEnvironment({ registry, kubeconfigs });
    endings.push(stop);
    east = new ExtensionFixture(installing);
    tenant = installing.actingAs({ user: 'ann', groups: ['lamp-team', 'system:authenticated'] });
    for (const object of await documentedPolicy()) await installing.create(object);
    const image = `${registry.host}/bundles/lamp@${registry.put('bundles/lamp:v1.0.0', await bundleImage({ name: 'lamp', version: '1.0.0' }))}`;
    const text = packageBlobs('lamp', [{ version: '1.0.0', image }]).map((blob) => JSON.stringify(blob));
    registry.put('shelf/lamps:latest', await catalogImage({ 'catalog.json': text.join('\n') }));
    await east.catalog('community', `${registry.host}/shelf/lamps:latest`);
    await east.namespace('lights');
    const account = { name: 'installer', namespace: 'lights' };
    await installing.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    await installing.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'lamp-installer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    });
    // The API server takes a moment until it asks a new policy.
    const wrong = extension('wrong', { namespace: 'elsewhere' });
    const refused = async () =>
      expect(await answerOf(tenant.create(wrong, { dryRun: true }))).toMatch('denied request');
    await vi.waitFor(refused, PATIENCE);
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  const answerOf = (write: Promise<unknown>): Promise<string> => write.then(() => 'allowed', String);

  it.each([
    {
      because: 'another package (scenario 47)',
      spec: { source: from({ ...CATALOG, packageName: 'torch' }) },
      says: 'lamp-team may have package lamp only',
    },
    {
      because: 'another namespace (scenario 48)',
      spec: { namespace: 'elsewhere' },
      says: 'lamp-team may install into namespace lights only',
    },
    {
      because: "the hub's own rights",
      spec: { serviceAccount: undefined },
      says: 'spec.serviceAccount.name must be installer',
    },
    {
      because: 'no selector: any catalog (scenario 49)',
      spec: { source: from({ packageName: 'lamp' }) },
      says: 'spec.source.catalog.selector must select catalog community by its name',
    },
    {
      because: 'another catalog',
      spec: { source: from({ ...CATALOG, selector: { matchLabels: { [CATALOG_NAME_LABEL]: 'own' } } }) },
      says: 'spec.source.catalog.selector must select catalog community by its name',
    },
    {
      because: 'any version after any other (scenario 50)',
      spec: { source: from({ ...CATALOG, upgradeConstraintPolicy: 'SelfCertified' }) },
      says: 'upgradeConstraintPolicy SelfCertified is not for lamp-team',
    },
    {
      because: 'CRDs that lose data (scenario 51)',
      spec: { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } },
      says: 'crdUpgradeSafety None is not for lamp-team',
    },
  ])('denies a member of that team $because', async ({ spec, says }) => {
    const desired = extension('refused', spec);
    expect(await answerOf(tenant.create(desired, { dryRun: true }))).toMatch(`denied request: ${says}`);
    expect(await answerOf(east.client.create(desired, { dryRun: true }))).toBe('allowed');
  });

  it('scenario 46: installs what is allowed, and lets the team delete that again', async () => {
    await tenant.create(extension('lamp', { install: { preflight: { crdUpgradeSafety: { enforcement: 'Strict' } } } }));
    await expect.poll(() => east.installState('lamp'), PATIENCE).toBe('1.0.0 True Succeeded');
    const desired = { source: { catalog: { upgradeConstraintPolicy: 'SelfCertified' } } };
    expect(await answerOf(tenant.patch({ ...CLUSTER_EXTENSION_API, name: 'lamp' }, { spec: desired }))).toMatch(
      'denied request: upgradeConstraintPolicy SelfCertified is not for lamp-team',
    );
    await tenant.delete({ ...CLUSTER_EXTENSION_API, name: 'lamp' });
    await expect.poll(() => east.client.get({ ...CLUSTER_EXTENSION_API, name: 'lamp' }), PATIENCE).toBeUndefined();
  });

  it('keeps the extensions of other teams from being changed or deleted', async () => {
    const theirs = { ...CLUSTER_EXTENSION_API, name: 'theirs' };
    await east.client.create(extension('theirs', { source: from({ ...CATALOG, packageName: 'torch' }) }));
    const denied = 'denied request: lamp-team may have package lamp only';
    expect(await answerOf(tenant.patch(theirs, { metadata: { labels: { whose: 'ours' } } }))).toMatch(denied);
    expect(await answerOf(tenant.delete(theirs))).toMatch(denied);
  });
});
