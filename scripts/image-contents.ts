import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stableBill } from './supply-chain/bill-of-materials.ts';
import { packageClosure } from './supply-chain/package-closure.ts';
import { productionFolder } from './supply-chain/production-folder.ts';

// Usage: node scripts/image-contents.ts, after scripts/bundle-programs.ts, in the build of the image. Copies
// the packages that the bundles import into dist/node_modules, and writes the bill of materials
// dist/sbom.cdx.json. It asks no registry.

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');

const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');
const imported = JSON.parse(readFileSync(join(dist, 'programs/packages.json'), 'utf8')) as string[];

rmSync(join(dist, 'node_modules'), { recursive: true, force: true });
for (const path of packageClosure(lockFile, imported)) {
  // A package within another one has a line of its own, and is copied with that one already.
  cpSync(join(root, path), join(dist, path), { recursive: true });
}

const folder = productionFolder(root);
const bill = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
  cwd: folder,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
rmSync(folder, { recursive: true });
writeFileSync(join(dist, 'sbom.cdx.json'), stableBill(bill, lockFile, { name: 'flotilla' }));
