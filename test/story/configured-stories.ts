import { expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { PATIENCE } from '#testing/patience';
import { type ExtensionFixture, type Puts, packageBlobs } from './extension-fixture.js';

/**
 * Effects of `spec.config` and `spec.serviceAccount` of a ClusterExtension (spec: v1-scenarios.md,
 * "install.feature").
 */
export function describeConfigured(fixture: () => ExtensionFixture, { bundle, putCatalog }: Puts): void {
  it.each([
    { because: 'nothing is configured', config: undefined, says: /required field "watchNamespace" is missing$/ },
    {
      because: 'another namespace than its own',
      config: { watchNamespace: 'elsewhere' },
      says: /is not valid ownNamespaceInstallMode: invalid value "elsewhere"/,
    },
  ])('scenario 5: says what is wrong with its configuration: $because', async ({ config, says }) => {
    await ownOnly();
    const name = `own-${says.source.length}`;
    const more = config === undefined ? {} : { config: { configType: 'Inline', inline: config } };
    await fixture().extension(name, 'ember-space', { packageName: 'ember' }, more);
    await expect.poll(() => fixture().condition(name, 'Progressing'), PATIENCE).toMatch(says);
    expect(await fixture().condition(name, 'Progressing')).toMatch(
      /^False InvalidConfiguration: error for resolved bundle/,
    );
    await fixture().client.delete({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name });
  });

  it('scenario 7: says which form a watchNamespace must have', async () => {
    const installModes = ['OwnNamespace', 'SingleNamespace'];
    const images = [{ version: '1.0.0', image: await bundle({ name: 'cinder', version: '1.0.0', installModes }) }];
    await fixture().catalog('cinders', await putCatalog('cinders', packageBlobs('cinder', images)));
    await fixture().namespace('cinders');
    const config = { configType: 'Inline', inline: { watchNamespace: 'No_Label' } };
    await fixture().extension('cinder', 'cinders', { packageName: 'cinder' }, { config });
    await expect
      .poll(() => fixture().condition('cinder', 'Progressing'), PATIENCE)
      .toBe(
        'False InvalidConfiguration: error for resolved bundle "cinder.v1.0.0" with version "1.0.0": invalid ClusterExtension configuration: invalid configuration: field "watchNamespace" must match pattern "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"',
      );
  });

  let ownOnlyThere: Promise<void> | undefined;
  const ownOnly = () => {
    ownOnlyThere ??= (async () => {
      const installModes = ['OwnNamespace'];
      const images = [{ version: '1.0.0', image: await bundle({ name: 'ember', version: '1.0.0', installModes }) }];
      await fixture().catalog('embers', await putCatalog('embers', packageBlobs('ember', images)));
      await fixture().namespace('ember-space');
    })();
    return ownOnlyThere;
  };

  it('scenario 5, and service accounts: writes in the name of its own, lists all rights that this one lacks, watches its namespace, and takes its objects along when that is gone', async () => {
    await ownOnly();
    const config = { configType: 'Inline', inline: { watchNamespace: 'ember-space' } };
    const serviceAccount = { name: 'installer' };
    await fixture().extension('ember', 'ember-space', { packageName: 'ember' }, { config, serviceAccount });
    await expect
      .poll(() => fixture().condition('ember', 'Installed'), PATIENCE)
      .toBe(
        'Unknown Failed: operation cannot proceed due to the following validation error(s): service account "installer" not found in namespace "ember-space"',
      );
    const account = { name: 'installer', namespace: 'ember-space' };
    await fixture().client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
    await fixture().annotate('ember', { looked: 'again' });
    await expect
      .poll(() => fixture().condition('ember', 'Progressing'), PATIENCE)
      .toMatch(
        / pre-authorization failed: service account requires the following permissions to manage cluster extension:\n/,
      );
    const lines = (await fixture().condition('ember', 'Progressing')).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '  Namespace:"ember-space" APIGroups:[apps] Resources:[deployments] Verbs:[create]',
        '  Namespace:"ember-space" APIGroups:[] Resources:[configmaps] ResourceNames:[ember-settings] Verbs:[delete,get,patch,update]',
      ]),
    );
    expect(await fixture().lifecycles('ember')).toEqual([]);
    await fixture().client.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ember-installer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    });
    await fixture().annotate('ember', { looked: 'once more' });
    await expect.poll(() => fixture().installState('ember'), PATIENCE).toBe('1.0.0 True Succeeded');
    expect(await fixture().watches('ember-operator', 'ember-space')).toBe('ember-space');
    const { client } = fixture();
    const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'ember-installer' };
    await client.delete(binding);
    await client.delete({ apiVersion: 'v1', kind: 'ServiceAccount', name: 'installer', namespace: 'ember-space' });
    await client.delete({ ...CLUSTER_EXTENSION_API, name: 'ember' });
    const left = async () => [
      ...(await fixture().lifecycles('ember')),
      (await fixture().get('v1', 'ConfigMap', 'ember-settings', 'ember-space'))?.metadata.name,
      (await fixture().get('apps/v1', 'Deployment', 'ember-operator', 'ember-space'))?.metadata.name,
      (await fixture().get('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'embers.lamps.example.com'))?.metadata
        .name,
      await client.get({ ...CLUSTER_EXTENSION_API, name: 'ember' }),
    ];
    await expect.poll(left, PATIENCE).toEqual([undefined, undefined, undefined, undefined]);
  });
}
