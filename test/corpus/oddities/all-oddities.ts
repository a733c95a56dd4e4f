import { CATALOG_ODDITIES, type CatalogOddity } from './catalog-oddities.js';
import { CONFIG_MAP_ODDITIES } from './config-map-oddities.js';
import { CSV_ODDITIES } from './csv-oddities.js';
import { FILE_ODDITIES } from './file-oddities.js';
import { KIND_ODDITIES, noObjects, strategyOddity } from './kind-oddities.js';
import { LAYER_ODDITIES } from './layer-oddities.js';
import { MISSING_ODDITIES } from './missing-oddities.js';
import { NAME_ODDITIES } from './name-oddities.js';
import { NULL_ODDITIES } from './null-oddities.js';
import type { BundleOddity } from './oddity.js';
import { TYPE_ODDITIES } from './type-oddities.js';
import { YAML_ODDITIES } from './yaml-oddities.js';

/** Oddities that are in the objects themselves, however these come into a catalog. */
const OF_OBJECTS: readonly BundleOddity[] = [
  ...[...NULL_ODDITIES, ...MISSING_ODDITIES, ...TYPE_ODDITIES, ...NAME_ODDITIES],
  ...[...KIND_ODDITIES, ...CSV_ODDITIES, strategyOddity],
];

/** Oddities of files and images. */
const OF_FILES: readonly BundleOddity[] = [...YAML_ODDITIES, ...FILE_ODDITIES, ...LAYER_ODDITIES, noObjects];

export const BUNDLE_ODDITIES: readonly BundleOddity[] = [...OF_OBJECTS, ...OF_FILES];

export const OF_CATALOGS: readonly CatalogOddity[] = [...CATALOG_ODDITIES, ...CONFIG_MAP_ODDITIES];

const FILES: ReadonlySet<BundleOddity> = new Set(OF_FILES);

/** True if an oddity is in files or images. Inline manifests have neither. */
export const isOfFiles = (oddity: BundleOddity): boolean => FILES.has(oddity);
