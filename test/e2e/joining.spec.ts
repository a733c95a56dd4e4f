import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { APPLIER } from '#core/kernel/actions/field-managers';
import { SystemClock } from '#platform/clock/system-clock';
import { joinCluster } from '#platform/joining/join-cluster';
import { OlmDetector } from '#platform/joining/olm-detector';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';

const CRDS = readdirSync('k8s/crds').filter((name) => name.endsWith('.yaml')).length;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const SOURCES = { ...CRD, name: 'catalogsources.operators.coreos.com' };

const Schema = z.looseObject({
  openAPIV3Schema: z.looseObject({
    properties: z.looseObject({ spec: z.looseObject({ properties: z.record(z.string(), z.unknown()) }) }),
  }),
});
const Crd = z.looseObject({ spec: z.looseObject({ versions: z.array(z.looseObject({ schema: Schema })) }) });

/** A field that no release of OLM has. */
const FIELD = 'fieldOfTomorrow';

describe('joining a real API server that has nothing of OLM', () => {
  let controlPlane: ControlPlane | undefined;
  let client: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath } = { kubeconfigPath: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: APPLIER });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    client = loaded;
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  /** Writes the first version's schema anew, its spec with other fields. */
  async function setFields(change: (fields: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    const { versions } = Crd.parse(await client.get(SOURCES)).spec;
    for (const { schema } of versions) {
      const { spec } = schema.openAPIV3Schema.properties;
      spec.properties = change(spec.properties);
    }
    await client.patch(SOURCES, { spec: { versions } });
  }
  const fields = async () =>
    Crd.parse(await client.get(SOURCES)).spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties;

  it('gives it all that OLM ships, in one go; a second time there is nothing to do', async () => {
    const first = await joinCluster(client);
    expect(first).toMatchObject({ upgraded: [], left: [], refused: [] });
    expect(first.installed).toHaveLength(CRDS + 5);
    expect(await joinCluster(client)).toMatchObject({ installed: [], upgraded: [], left: [], refused: [] });
    const edit = await client.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'edit' });
    expect(edit).toBeDefined();
  });

  it('upgrades a definition that is older, and leaves one that is newer', async () => {
    await setFields(({ displayName: _gone, ...rest }) => rest);
    expect((await joinCluster(client)).upgraded).toEqual([`${CRD.kind} ${SOURCES.name}`]);
    expect(await fields()).toHaveProperty('displayName');

    await setFields((all) => ({ ...all, [FIELD]: { type: 'string' } }));
    const { left, upgraded } = await joinCluster(client);
    expect(left).toEqual([
      {
        object: `${CRD.kind} ${SOURCES.name}`,
        because: `it has parts that the hub's definition does not have: v1alpha1.spec.${FIELD}`,
      },
    ]);
    expect(upgraded).toEqual([]);
    expect(await fields()).toHaveProperty(FIELD);
  });

  it('sees an OLM at work, in whatever namespace, and that it is gone', async () => {
    const poll = () =>
      new OlmDetector({
        client,
        clock: new SystemClock(),
        consentedClusters: [],
        globalCatalogNamespace: async () => 'olm',
        everyMs: 1_000,
      }).status();
    expect(await poll()).toEqual({ acts: true, signs: [] });
    const labels = { app: 'catalog-operator' };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'catalog-operator', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'it', image: 'registry.example/olm:1' }] } },
      },
    };
    await client.create(deployment);
    expect(await poll()).toMatchObject({ acts: false, signs: [{ namespace: 'default', name: 'catalog-operator' }] });
    await client.patch({ ...deployment, ...deployment.metadata }, { spec: { replicas: 0 } });
    expect(await poll()).toMatchObject({ acts: true });
  });
});
