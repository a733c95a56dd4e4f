import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { rendered } from '#core/v1/bundle-render/rendered-bundle.fixture';
import { bundle, csv } from '#core/v1/bundle-render/sample-bundle.fixture';
import { type HelmReleaseParts, helmReleaseSecrets } from '#testing/cluster/helm-release';
import {
  configMap,
  ExtensionEnvironment,
  imageOf,
  NAMESPACE,
  runningCsv,
} from '../extensions/extension-environment.fixture.js';

let env: ExtensionEnvironment;
/** Its Deployments never become ready, so that a slow machine cannot end a rollout between two passes. */
const started = async () => {
  const one = await ExtensionEnvironment.start({ deploymentReadyAfterMs: 3_600_000 });
  one.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olmv1-system' } });
  return one;
};
beforeEach(async () => {
  env = await started();
});
afterEach(() => env.stop());

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gear', namespace: NAMESPACE };
const NAMES = { packageName: 'gear', name: 'gear.v1.0.0', version: '1.0.0', image: imageOf('1.0.0') };
const INSTALLED = { install: { bundle: { name: NAMES.name, version: NAMES.version } } };
const LABELS = {
  'olm.operatorframework.io/owner-kind': 'ClusterExtension',
  'olm.operatorframework.io/owner-name': 'gear',
};

/** An extension that OLM v1's Helm runtime has installed: its objects run, its release is stored. */
function installedByHelm(parts: Partial<HelmReleaseParts> = {}, status: object = INSTALLED): KubernetesObject[] {
  const extension = env.extension();
  env.cluster.edit({ ...CLUSTER_EXTENSION_API, name: 'gear' }, (live) => Object.assign(live, { status }), 'status');
  const objects = rendered(bundle(csv())).map(({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, labels: { ...metadata.labels, ...LABELS } },
  }));
  const { uid = '' } = extension.metadata;
  const ownerReferences = [{ ...CLUSTER_EXTENSION_API, name: 'gear', uid, controller: true }];
  env.add(...objects.map((object) => ({ ...object, metadata: { ...object.metadata, ownerReferences } })));
  const secrets = helmReleaseSecrets({ extension, bundle: NAMES, objects, ...parts });
  env.add(...secrets);
  return secrets;
}

const live = () => env.cluster.get(DEPLOYMENT)?.metadata;
const controllers = () => live()?.ownerReferences?.filter(({ controller }) => controller === true);
const put = (secret: KubernetesObject | undefined, change: (data: Record<string, string>) => void) => {
  env.cluster.edit({ ...refOf(KubernetesObject.parse(secret)) }, (object) => change(object['data'] as never));
};

describe('a Helm release of OLM v1', () => {
  it('becomes revision 1, which has succeeded at once and takes over what runs', async () => {
    installedByHelm();
    const before = live();
    expect(await env.pass()).toMatchObject({ result: 'waits' });
    expect(env.revisions()).toMatchObject([
      {
        metadata: { name: 'gear-1', labels: { 'olm.operatorframework.io/migrated-from-helm': 'true', ...LABELS } },
        spec: { revision: 1, lifecycleState: 'Active', collisionProtection: 'None' },
      },
    ]);
    expect(controllers()).toMatchObject([{ kind: 'ClusterObjectSet', name: 'gear-1' }]);
    expect({ uid: live()?.uid, generation: live()?.generation }).toEqual({
      uid: before?.uid,
      generation: before?.generation,
    });
    expect(env.setConditions('gear-1')).toMatchObject({
      Succeeded: 'True Succeeded: Revision succeeded - migrated from Helm release',
    });
    expect(env.events()).toContainEqual(
      'Normal RevisionCreated: Revision gear-1 for bundle gear.v1.0.0 version 1.0.0 was created from the Helm release of OLM v1, and takes over the running objects',
    );
  });

  it('needs neither catalog nor registry, and the same bundle from a catalog makes no other revision', async () => {
    installedByHelm();
    await env.pass();
    expect(env.shelf.pulls).toBe(0);
    const before = live();
    await env.install('1.0.0', runningCsv());
    expect(env.lifecycles()).toEqual(['1 Active']);
    expect(live()).toEqual(before);
    expect(env.conditions()).toMatchObject({
      Installed: `True Succeeded: Installed bundle ${NAMES.image} successfully`,
    });
  });

  it('is updated like any other afterwards', async () => {
    installedByHelm();
    await env.pass();
    await env.install('1.1.0', runningCsv(), configMap('settings'));
    expect(env.lifecycles()).toEqual(['1 Active', '2 Active']);
  });

  it('may lie in several Secrets', async () => {
    expect(installedByHelm({ chunkBytes: 200 }).length).toBeGreaterThan(2);
    await env.pass();
    expect(env.lifecycles()).toEqual(['1 Active']);
  });

  it('is left as it is, for the way back', async () => {
    const secrets = installedByHelm();
    const before = secrets.map((secret) => env.cluster.get(refOf(secret)));
    await env.pass();
    expect(secrets.map((secret) => env.cluster.get(refOf(secret)))).toEqual(before);
  });

  it('of a version that is no longer installed is passed over', async () => {
    installedByHelm({}, { install: { bundle: { name: 'gear.v1.1.0', version: '1.1.0' } } });
    await env.pass();
    expect(env.lifecycles()).toEqual([]);
    expect(controllers()).toMatchObject([{ kind: 'ClusterExtension' }]);
  });

  it.each([
    {
      because: 'the extension calls nothing installed',
      parts: {},
      status: {},
      says: 'is not taken over: status.install does not name bundle gear.v1.0.0',
    },
    { because: 'a part is missing', parts: { chunkBytes: 200 }, lose: 1, says: /Secret sh\.helm\S+ is missing/ },
    { because: 'it is no gzip', broken: 'x', says: 'it cannot be unpacked to 67108864 bytes at most' },
    {
      because: 'it unpacks to more than it may',
      broken: gzipSync(Buffer.alloc(65 * 2 ** 20)),
      says: 'it cannot be unpacked to 67108864 bytes at most',
    },
    { because: 'it is no release', broken: gzipSync('{}'), says: 'its status is not "deployed"' },
  ])('is refused, and nothing is touched, where $because', async ({ parts, status, lose, broken, says }) => {
    const secrets = installedByHelm(parts, status);
    if (lose !== undefined) await env.client.delete(refOf(KubernetesObject.parse(secrets[lose])));
    if (broken !== undefined) {
      put(secrets[0], (data) => Object.assign(data, { chunk: Buffer.from(broken).toString('base64') }));
    }
    env.writes();
    expect(await env.pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(env.lifecycles()).toEqual([]);
    expect(env.conditions()['Progressing']).toMatch(says);
    expect(env.conditions()['Installed']).toMatch(/^Unknown Failed: the Helm release of OLM v1 in Secret olmv1-system/);
    expect(env.writes().filter((write) => !/events|clusterextensions/.test(write))).toEqual([]);
  });

  it('in another namespace is believed only where the setting names it', async () => {
    env.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tenant' } });
    installedByHelm({ namespace: 'tenant' });
    await env.pass();
    expect(env.lifecycles()).toEqual([]);
    Object.assign(env.deps, { helmReleaseNamespace: 'tenant' });
    await env.pass();
    expect(env.lifecycles()).toEqual(['1 Active']);
  });

  it('of a pass that was killed before or after any of its writes comes to the same end', async () => {
    installedByHelm();
    await env.pass();
    const end = endOf();
    for (const lost of ['request', 'answer'] as const) {
      let ended = false;
      for (let last = 1; !ended; last += 1) {
        await env.stop();
        env = await started();
        installedByHelm();
        let writes = 0;
        env.cluster.lossOf = ({ verb }) => {
          if (!['get', 'list', 'watch'].includes(verb)) writes += 1;
          return writes >= last ? lost : undefined;
        };
        ended = (await env.pass()).result === 'waits';
        env.cluster.lossOf = () => undefined;
        await env.pass();
        expect(endOf(), `${lost} of write ${last}`).toEqual(end);
        expect(last).toBeLessThan(40);
      }
    }
  });
});

/** What users see of the end; a Deployment is ready some time after. */
const endOf = () => ({
  lifecycles: env.lifecycles(),
  controllers: controllers()?.map(({ kind, name }) => `${kind} ${name}`),
  generation: live()?.generation,
  conditions: Object.keys(env.setConditions('gear-1')),
  progress: env.setConditions('gear-1')['Progressing'],
});
