import { expect } from 'vitest';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { LONG_PATIENCE } from '#testing/patience';
import { type MadeVersion, offer } from '../integration/applier-support/made-operator.js';
import type { FleetHub } from './fleet-hub.js';

/** A catalog of operators that a test makes up, as a CatalogSource that each cluster polls. */
export class OfferedCatalog {
  readonly #offered: BundleFile[] = [];

  constructor(
    private readonly fleet: FleetHub,
    /** Name of the image's repository, and of the CatalogSource. */
    readonly name: string,
  ) {}

  /** Offers these versions of a package, in place of those before; other packages stay. */
  async offer(packageName: string, versions: readonly MadeVersion[]): Promise<void> {
    const { registry } = this.fleet.environment;
    await offer({ registry, offered: this.#offered }, packageName, versions);
    const files = this.#offered.map(({ path, bytes }) => ({ path: `configs/${path}`, bytes }));
    await registry.put(this.#reference, await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  }

  /** From now on it is there for all namespaces of all clusters, and its content was read in each of them. */
  async serve(): Promise<void> {
    const image = `${this.fleet.environment.registry.host}/${this.#reference}`;
    const spec = { sourceType: 'grpc', image, updateStrategy: { registryPoll: { interval: '2s' } } };
    for (const name of this.fleet.names) {
      const metadata = { name: this.name, namespace: 'olm' };
      await this.fleet.client(name).create({ ...CATALOG_SOURCE_API, metadata, spec });
    }
    // An install before its catalog is visible fails its rollout.
    for (const name of this.fleet.names) await expect.poll(() => this.#stateIn(name), LONG_PATIENCE).toBe('READY');
  }

  async #stateIn(cluster: string): Promise<string | undefined> {
    const found = await this.fleet.client(cluster).get({ ...CATALOG_SOURCE_API, name: this.name, namespace: 'olm' });
    return (found as CatalogSource | undefined)?.status?.connectionState?.lastObservedState;
  }

  get #reference(): string {
    return `fleet/${this.name}:latest`;
  }
}
