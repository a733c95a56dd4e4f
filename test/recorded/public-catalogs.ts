import { loadCatalog } from '#core/catalog/load/load-catalog';
import type { Catalog } from '#core/catalog/model/catalog';
import {
  contentOf,
  folderOf,
  inline,
  type PublicBundle,
  packageBlobs,
  requirements,
  treeOf,
  withoutDependencies,
} from './public-bundles.js';

/** The public bundles of the recordings `real-<package>`. */
export const PUBLIC_BUNDLES: readonly PublicBundle[] = [
  { package: 'kairos-operator', version: '2.2.0' },
  { package: 'mercury-operator', version: '1.0.2' },
  { package: 'pelorus-operator', version: '0.0.9' },
  { package: 'eventing-kogito', version: '1.2.0' },
  { package: 'cluster-aas-operator', version: '0.1.5' },
  { package: 'dbaas-operator', version: '0.5.0' },
  { package: 'gitlab-operator-kubernetes', version: '3.3.0' },
  { package: 'node-healthcheck-operator', version: '0.9.0' },
  { package: 'node-maintenance-operator', version: '0.21.0' },
];

const DEPENDENCIES_MISSING = 'real-dependencies-missing';
const ASKING = ['mercury-operator', 'pelorus-operator', 'cluster-aas-operator', 'dbaas-operator'];

/** The bundles of the catalog that a recording served; none if the recording has its catalog. */
export const bundlesOf = (recording: string): readonly PublicBundle[] =>
  PUBLIC_BUNDLES.filter(({ package: name }) =>
    recording === DEPENDENCIES_MISSING ? ASKING.includes(name) : recording === `real-${name}`,
  );

/**
 * The catalog of public bundles that a recording served, made as its README says. Undefined if this machine
 * does not have them.
 */
export function publicCatalog(recording: string): Catalog | undefined {
  const bundles = bundlesOf(recording).map((bundle) => ({ bundle, folder: folderOf(bundle) }));
  if (bundles.length === 0) return undefined;
  const blobs: unknown[] = [];
  for (const { bundle, folder } of bundles) {
    if (folder === undefined) return undefined;
    const whole = contentOf(treeOf(folder));
    const asking = recording === DEPENDENCIES_MISSING;
    const content = asking ? whole : withoutDependencies(whole);
    const properties = [...(asking ? requirements(content) : []), ...inline(content)];
    blobs.push(...packageBlobs(bundle, content, { properties }));
  }
  const bytes = new TextEncoder().encode(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  return loadCatalog([{ path: 'catalog.json', bytes }]);
}
