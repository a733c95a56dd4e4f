import { describe, expect, it } from 'vitest';
import { readSettings } from '../config/settings.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { globalCatalogNamespaceOf } from './managed-clusters.js';

/** A cluster that serves OpenShift's config API or not; `asked` counts the questions. */
function clusterOf(isOpenShift: boolean, ofCluster?: string) {
  const asked: unknown[] = [];
  const client = {
    globalCatalogNamespace: ofCluster,
    serves: async (kind: unknown) => {
      asked.push(kind);
      return isOpenShift;
    },
  };
  return { client: client as unknown as KubeClient, asked };
}
const settings = (globalCatalogNamespace: string) => ({ ...readSettings({}), globalCatalogNamespace });

describe('globalCatalogNamespaceOf', () => {
  it.each([
    { openShift: false, ofCluster: undefined, ofAll: '', namespace: 'olm', questions: 1 },
    { openShift: true, ofCluster: undefined, ofAll: '', namespace: 'openshift-marketplace', questions: 1 },
    { openShift: true, ofCluster: undefined, ofAll: 'market', namespace: 'market', questions: 0 },
    { openShift: false, ofCluster: 'own', ofAll: 'market', namespace: 'own', questions: 0 },
    { openShift: true, ofCluster: 'own', ofAll: '', namespace: 'own', questions: 0 },
  ])('OpenShift $openShift, of the cluster $ofCluster, of all "$ofAll": $namespace', async (row) => {
    const { client, asked } = clusterOf(row.openShift, row.ofCluster);
    expect(await globalCatalogNamespaceOf(client, settings(row.ofAll))).toBe(row.namespace);
    expect(asked).toHaveLength(row.questions);
  });

  it('asks for the kind of which OpenShift has one object', async () => {
    const { client, asked } = clusterOf(true);
    await globalCatalogNamespaceOf(client, settings(''));
    expect(asked).toEqual([{ apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion' }]);
  });

  it('fails where the cluster does not answer', async () => {
    const away = { serves: () => Promise.reject(new Error('no route')) } as unknown as KubeClient;
    await expect(globalCatalogNamespaceOf(away, settings(''))).rejects.toThrow('no route');
  });
});
