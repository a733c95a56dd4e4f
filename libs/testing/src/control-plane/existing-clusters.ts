import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import { type ControlPlane, type ControlPlaneCluster, ControlPlaneFailed } from './control-plane.js';

/**
 * The clusters that FLOTILLA_TEST_KUBECONFIG names: the contexts of its files (separated as in
 * PATH), current ones first.
 */
export async function useExistingClusters(list: string, count: number): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-test-kubeconfig-'));
  const stop = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const clusters: ControlPlaneCluster[] = [];
    for (const file of list.split(delimiter).filter((name) => name !== '')) {
      clusters.push(...(await contextsOf(file, folder, clusters.length)));
    }
    if (clusters.length < count) {
      const text = `FLOTILLA_TEST_KUBECONFIG has ${clusters.length} context(s), but ${count} clusters are needed`;
      throw new ControlPlaneFailed(text);
    }
    const chosen = clusters.slice(0, count);
    const names = chosen.map(({ name }) => name).join(', ');
    return { clusters: chosen, describe: `FLOTILLA_TEST_KUBECONFIG (${names})`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function contextsOf(file: string, folder: string, offset: number): Promise<ControlPlaneCluster[]> {
  const parsed = parseKubeconfig(file, await readFile(file, 'utf8'));
  const isCurrent = (name: string) => name === parsed.currentContext;
  const names = [...parsed.contexts.filter(isCurrent), ...parsed.contexts.filter((name) => !isCurrent(name))];
  return Promise.all(
    names.map(async (name, index) => {
      const { cluster, user } = parsed.access(name);
      const kubeconfig = JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': name,
        contexts: [{ name, context: { cluster: name, user: name } }],
        clusters: [{ name, cluster }],
        users: [{ name, user }],
      });
      const kubeconfigPath = join(folder, `${offset + index}.kubeconfig`);
      await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
      return { name, kubeconfigPath, kubeconfig };
    }),
  );
}
