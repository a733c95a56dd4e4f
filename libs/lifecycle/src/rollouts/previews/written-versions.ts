import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperatorStatus } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** Separates edits by users, and denials for a whole subject, from the hub's other status writes. */
export class WrittenVersions {
  readonly #known = new Map<string, string>();

  /** Forgets all versions: the hub API has another history. */
  forget(): void {
    this.#known.clear();
  }

  /** Notes the version that the object has; true if it may be another than at its last change. */
  async noteVersion(
    hub: Pick<KubeClient, 'get'>,
    kind: string,
    { name = '', namespace }: KubernetesObject['metadata'],
  ): Promise<boolean> {
    const found = await hub.get({ apiVersion: FLEET_API, kind, name, namespace });
    const { uid, generation } = found?.metadata ?? {};
    const key = `${kind}/${namespace}/${name}`;
    const version = generation === undefined ? undefined : `${uid} ${generation} ${deniedBy(found)}`;
    const isNews = version === undefined || this.#known.get(key) !== version;
    if (version === undefined) this.#known.delete(key);
    else this.#known.set(key, version);
    return isNews;
  }
}

/** The bundles that a FleetOperator's status denies: no path leads to them. */
function deniedBy(object: KubernetesObject | undefined): string {
  const status = FleetOperatorStatus.safeParse(object?.['status']).data;
  return (status?.denied ?? []).map(({ bundle }) => bundle).join(' ');
}
