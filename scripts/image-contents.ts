import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyPackages } from './supply-chain/copy-packages.ts';
import { projectBill } from './supply-chain/project-bill.ts';

// Usage: node scripts/image-contents.ts, after scripts/bundle-programs.ts, in the build of the image. Copies
// the packages that the bundles import into dist/node_modules, and writes the bill of materials
// dist/sbom.cdx.json. It asks no registry.

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(join(dist, 'node_modules'), { recursive: true, force: true });
copyPackages(root, dist);
writeFileSync(join(dist, 'sbom.cdx.json'), projectBill(root));
