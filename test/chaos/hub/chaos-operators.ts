import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { bundleImage, packageBlobs } from '../../story/extension-fixture.js';

/** Operators of every catalog, each with a CRD, rights, a Service, a Deployment; the first has a webhook. */
export const OPERATORS = ['bell', 'lamp', 'buoy'] as const;
/** Has a version that never changes; `buoy` depends on it. */
export const DEPENDENCY = 'anchor';
const DEPENDENT = 'buoy';
export const CATALOGS = ['north', 'south'] as const;

export const csvOf = (operator: string, edition: number): string => `${operator}.v${edition}.0.0`;
export const crdOf = (operator: string): string => `${operator}s.lamps.example.com`;
export const deploymentOf = (operator: string): string => `${operator}-operator`;
export const catalogReference = (catalog: string): string => `chaos/${catalog}:latest`;

const ANCHOR = { group: 'lamps.example.com', version: 'v1', kind: 'Anchor' };

/**
 * Offers the first versions of every operator in a catalog. Each version replaces the one before: a
 * Subscription that began with the first goes through all of them, however late they are noticed.
 */
export async function offerEdition(registry: InMemoryRegistry, catalog: string, edition: number): Promise<void> {
  const blobs = await Promise.all([
    ...OPERATORS.map((operator) => packageOf(registry, operator, edition)),
    packageOf(registry, DEPENDENCY, 1),
  ]);
  const text = blobs.flat().map((blob) => JSON.stringify(blob));
  const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(text.join('\n')) }];
  registry.put(catalogReference(catalog), await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
}

async function packageOf(registry: InMemoryRegistry, name: string, newest: number): Promise<unknown[]> {
  const bundles = await Promise.all(
    Array.from({ length: newest }, async (_, index) => {
      const version = `${index + 1}.0.0`;
      const reference = `chaos/${name}-bundle:v${version}`;
      const contents = { name, version, image: `registry.example/${name}:${version}`, text: `of ${version}` };
      const shape = { rich: true, webhook: name === OPERATORS[0], installModes: ['OwnNamespace'] };
      registry.put(reference, await bundleImage({ ...contents, ...shape }));
      return { version, image: `${registry.host}/${reference}` };
    }),
  );
  return packageBlobs(name, bundles).map((blob) => withApis(name, blob));
}

function withApis(name: string, blob: unknown): unknown {
  const { schema, properties } = Object(blob);
  if (schema !== 'olm.bundle') return blob;
  if (name === DEPENDENCY) return { ...Object(blob), properties: [...properties, { type: 'olm.gvk', value: ANCHOR }] };
  if (name !== DEPENDENT) return blob;
  return { ...Object(blob), properties: [...properties, { type: 'olm.gvk.required', value: ANCHOR }] };
}
