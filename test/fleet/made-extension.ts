import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { bundleImage, packageBlobs } from '../story/extension-fixture.js';
import type { FleetHub } from './fleet-hub.js';

/** An operator of OLM v1 that a test makes up, in the registry of a hub and in its clusters. */
export class MadeExtension {
  constructor(
    private readonly fleet: FleetHub,
    /** Name of the package, and of the ClusterExtensions that the fleet makes. */
    readonly name: string,
  ) {}

  /** Puts a bundle under the tag of its version; `text` is in its ConfigMap. */
  async putBundle(version: string, text = version): Promise<void> {
    const image = await bundleImage({ name: this.name, version, text });
    await this.fleet.environment.registry.put(`${this.#repository}-bundle:${version}`, image);
  }

  /** A catalog that offers these versions, each in the place of the one before; answers its image. */
  async putCatalog(tag: string, versions: readonly string[]): Promise<string> {
    const { host, put } = this.fleet.environment.registry;
    const images = versions.map((version) => ({ version, image: `${host}/${this.#repository}-bundle:${version}` }));
    const text = packageBlobs(this.name, images).map((blob) => JSON.stringify(blob));
    const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(text.join('\n')) }];
    const reference = `${this.#repository}s:${tag}`;
    await put(reference, await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
    return `${host}/${reference}`;
  }

  /** The ClusterExtension of that name in a cluster. */
  async in(cluster: string): Promise<ClusterExtension | undefined> {
    const found = await this.fleet.client(cluster).get({ ...CLUSTER_EXTENSION_API, name: this.name });
    return ClusterExtension.safeParse(found).data;
  }

  async installedIn(cluster: string): Promise<string | undefined> {
    return (await this.in(cluster))?.status?.install?.bundle.name;
  }

  get #repository(): string {
    return `fleet/${this.name}`;
  }
}
