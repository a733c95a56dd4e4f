import type { PackageRecord } from '#core/catalog/model/package-record';
import type { BundleReference, BundleSource } from '#core/classic/install-plan/creation/bundle-reference';
import { parseImageReference } from '#platform/registry/client/image-reference';
import type { ObservedProblems } from '../namespaces/observed-problems.js';

/** The bundles that a namespace is offered by its visible catalogs, as the poller saw them last. */
export class OfferedBundles {
  constructor(private readonly observed: Pick<ObservedProblems, 'find' | 'record'>) {}

  /**
   * True if the catalog that the reference names offers its content to the namespace: the manifests with that
   * digest, or an image of that repository. A digest alone gives no right to content that the hub holds or
   * may pull.
   */
  async has(cluster: string, namespace: string, reference: BundleReference): Promise<boolean> {
    const known = await this.observed.find(cluster, namespace);
    const { catalogSourceName, catalogSourceNamespace } = reference;
    const slice = known?.problem.catalogs.find(
      ({ key }) => key.name === catalogSourceName && key.namespace === catalogSourceNamespace,
    );
    for (const { record } of slice?.packages ?? []) {
      if (offers(await this.observed.record(record), reference)) return true;
    }
    return false;
  }
}

const offers = (record: PackageRecord | undefined, { kind, name }: BundleReference): boolean =>
  record?.entries.some(({ source }) => (kind === 'BundleImage' ? isOf(name, source) : isContent(name, source))) ??
  false;

const isContent = (digest: string, source: BundleSource): boolean => 'inline' in source && source.inline === digest;

function isOf(image: string, source: BundleSource): boolean {
  if (!('image' in source)) return false;
  const [wanted, offered] = [parseImageReference(image), parseImageReference(source.image)];
  return wanted.host === offered.host && wanted.repository === offered.repository;
}
