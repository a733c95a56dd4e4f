import { describe, expect, it } from 'vitest';
import { observedCsv } from '#core/cluster/observation/observed-part';
import { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { DEFAULT_READ_LIMITS } from '#core/kernel/read-budget/read-limits';

/** A CSV as large ones are: an icon, descriptors of its APIs, a label for each of them. */
const csv = (namespace: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: {
    name: 'cloud-native-postgresql.v1.27.0',
    namespace,
    uid: '0b5a8e0c-8d1e-4b6a-9a55-4f1f8c9f8f00',
    resourceVersion: '123456789',
    labels: {
      'olm.copiedFrom': 'openshift-operators',
      ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`olm.api.${at}0f9d8c7b6a5e4d3`, 'provided'])),
    },
    annotations: { 'olm.operatorNamespace': 'openshift-operators', capabilities: 'x'.repeat(20_000) },
  },
  spec: {
    icon: [{ base64data: 'x'.repeat(20_000) }],
    customresourcedefinitions: { owned: [{ name: 'a', version: 'v1', kind: 'A', displayName: 'x'.repeat(20_000) }] },
  },
  status: { phase: 'Succeeded', reason: 'Copied' },
});

describe('what the poller keeps of a copied CSV', () => {
  it('lets 5,000 namespaces with copies of 20 operators be within the default budgets of a cluster', () => {
    const kept = observedCsv(csv('a-namespace-with-a-name-of-usual-length'));
    expect(isCopied(ClusterServiceVersion.parse(kept))).toBe(true);
    const copies = 5_000 * 20;
    expect(copies * heldBytes(kept)).toBeLessThan(DEFAULT_READ_LIMITS.clusterBytes / 2);
    expect(copies * 1.2).toBeLessThan(DEFAULT_READ_LIMITS.objects);
  });

  it('is nothing less than before of an original', () => {
    const original = observedCsv(csv('openshift-operators'));
    expect(original).toMatchObject({ spec: { customresourcedefinitions: { owned: [{ name: 'a' }] } } });
  });
});
