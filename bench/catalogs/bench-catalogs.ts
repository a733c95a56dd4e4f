import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generateCatalog } from './generate-catalog.js';
import type { BenchCatalog } from './measures.js';

/** The public catalog v4.20; it is not part of the project. */
export const REAL = '../shared/data/catalogs/v4.20';

/** Returns the catalogs for benches: the real one if it is there; two that are made up in `folder`. */
export async function benchCatalogs(folder: string): Promise<BenchCatalog[]> {
  const size = { packages: 400, bundles: 25 };
  const [plain, large] = [join(folder, 'plain'), join(folder, 'large')];
  await generateCatalog(plain, { ...size, textLength: 0, format: 'yaml' });
  await generateCatalog(large, { ...size, textLength: 12_500, format: 'json' });
  return [
    ...(existsSync(REAL) ? [{ name: 'v4.20, 14.8 MB YAML', directory: resolve(REAL), real: true }] : []),
    { name: '400 × 25, 7.6 MB YAML', directory: plain, real: false },
    { name: '400 × 25, 150 MB JSON', directory: large, real: false },
  ];
}
