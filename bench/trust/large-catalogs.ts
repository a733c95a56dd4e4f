import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { generateCatalog } from '../catalogs/generate-catalog.js';

/** Catalogs of about 10 MB that differ in one package, as a catalog does from one day to the next. */
export type LargeCatalogs = readonly BuiltImage[];

const SHAPE = { packages: 200, bundles: 25, textLength: 500, format: 'json' } as const;

export const catalogReference = (host: string, number: number): string => `${host}/trust/catalog:day-${number}`;

export async function largeCatalogs(count: number): Promise<LargeCatalogs> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-trust-'));
  try {
    await generateCatalog(folder, SHAPE);
    const bytes = await readFile(join(folder, 'catalog.json'));
    const images: BuiltImage[] = [];
    for (let number = 0; number < count; number += 1) {
      const day = Buffer.from(JSON.stringify({ schema: 'day', name: `day-${number}`, package: 'package-0' }));
      const files = [
        { path: 'configs/catalog.json', bytes },
        { path: 'configs/day.json', bytes: day },
      ];
      images.push(await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
    }
    return images;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
