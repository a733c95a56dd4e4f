import { expect } from 'vitest';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { LONG_PATIENCE } from '#testing/patience';
import { createNamespace, operators, subscribe } from '../story/bad-input-fixture.js';

const CATALOG = { name: 'flotilla-samples', namespace: 'olm' };

/**
 * Asks each cluster for the lighthouse operator in a namespace of its own, and resolves when it runs there.
 * Every part of the hub has to work for that. Gives the seconds it took.
 */
export async function timeToInstall(clients: readonly KubeClient[], namespace: string): Promise<number> {
  const since = performance.now();
  for (const client of clients) {
    await createNamespace(client, namespace);
    await subscribe(client, namespace, 'lighthouse-operator', CATALOG);
  }
  for (const client of clients) {
    await expect
      .poll(() => operators(client, namespace), { ...LONG_PATIENCE, message: `${client.cluster}/${namespace}` })
      .toEqual(['lighthouse-operator.v1.2.0 Succeeded']);
  }
  return (performance.now() - since) / 1_000;
}
