import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** Distinguishes what people change of fleet objects from what the hub writes in their statuses. */
export class WrittenVersions {
  readonly #known = new Map<string, string>();

  /** Whether `spec` of an object may be another than when it moved last. */
  async isNews(
    hub: Pick<KubeClient, 'get'>,
    kind: string,
    { name = '', namespace }: KubernetesObject['metadata'],
  ): Promise<boolean> {
    const found = await hub.get({ apiVersion: FLEET_API, kind, name, namespace });
    const { uid, generation } = found?.metadata ?? {};
    const key = `${kind}/${namespace}/${name}`;
    const version = generation === undefined ? undefined : `${uid} ${generation}`;
    const isNews = version === undefined || this.#known.get(key) !== version;
    if (version === undefined) this.#known.delete(key);
    else this.#known.set(key, version);
    return isNews;
  }
}
