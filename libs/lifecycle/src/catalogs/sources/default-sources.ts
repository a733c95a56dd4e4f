import { isDisabledByHub, isManagedByMarketplace, OPERATOR_HUB } from '#core/classic/catalog-source/operator-hub';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

/** OpenShift's OperatorHub settings for the default CatalogSources of one cluster, as read last. */
export class DefaultSources {
  #hub: KubernetesObject | undefined;

  constructor(private readonly deps: Readonly<{ client: KubeClient; log: Log }>) {}

  /** Reads the OperatorHub again. If that fails, the last answer stays. */
  async read(): Promise<void> {
    const { client, log } = this.deps;
    try {
      this.#hub = await client.get(OPERATOR_HUB);
    } catch (err) {
      log.warn({ cluster: client.cluster, err }, 'could not read OperatorHub cluster: its last state stays in force');
    }
  }

  isDefault(source: CatalogSource): boolean {
    return isManagedByMarketplace(source);
  }

  isDisabled(source: CatalogSource): boolean {
    return isDisabledByHub(source, this.#hub);
  }
}
