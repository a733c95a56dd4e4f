import { joinCrds } from '#platform/joining/join-cluster';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

type InstalledCrds = Readonly<{ cluster: string; installed: readonly string[]; refused?: string }>;

/**
 * Installs and upgrades OLM's CustomResourceDefinitions in a cluster. A refused one is reported, not thrown.
 */
export async function installMissingCrds(client: KubeClient): Promise<InstalledCrds> {
  const { cluster, installed, upgraded, refused } = await joinCrds(client);
  const [first] = refused;
  const written = [...installed, ...upgraded];
  return { cluster, installed: written, ...(first === undefined ? {} : { refused: first.because }) };
}
