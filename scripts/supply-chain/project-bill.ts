import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stableBill } from './bill-of-materials.ts';
import { productionFolder } from './production-folder.ts';

/** The bill of materials of the project in `root` (CycloneDX), made of its lock file without a registry. */
export function projectBill(root: string): string {
  const folder = productionFolder(root);
  const bill = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  rmSync(folder, { recursive: true });
  return stableBill(bill, readFileSync(join(root, 'package-lock.json'), 'utf8'), { name: 'flotilla' });
}
