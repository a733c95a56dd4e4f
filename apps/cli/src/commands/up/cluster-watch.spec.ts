import { expect, it } from 'vitest';
import { readSettings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { recorder } from '../../run-flotilla.fixture.js';
import { ClusterWatch } from './cluster-watch.js';

/** A client whose cluster refuses the request when `refuse` is called. */
function refusing(cluster: string): Readonly<{ client: KubeClient; refuse: () => void }> {
  const { promise, reject } = Promise.withResolvers<string>();
  const client = { cluster, serverVersion: () => promise } as unknown as KubeClient;
  return { client, refuse: () => reject(new Error(`${cluster} refuses`)) };
}

it('reports clusters in the order of the kubeconfig, whichever answers first', async () => {
  const clusters = ['north', 'east', 'west'].map(refusing);
  const { result, io } = recorder();
  const watch = new ClusterWatch(
    clusters.map(({ client }) => client),
    readSettings({}),
    io,
  );
  const reported = watch.firstCheck();
  for (const { refuse } of clusters.toReversed()) {
    refuse();
    await new Promise(setImmediate);
  }
  await reported;
  watch.stop();
  expect(result.out.match(/\w+(?= refuses)/g)).toEqual(['north', 'east', 'west']);
});
