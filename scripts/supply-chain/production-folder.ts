import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionOnly } from './production-only.ts';

/**
 * A new folder with the project of `root` as npm is to see it: without packages for development. Its user
 * removes it.
 */
export function productionFolder(root: string): string {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const files = productionOnly({ packageJson: read('package.json'), lockFile: read('package-lock.json') });
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-packages-'));
  writeFileSync(join(folder, 'package.json'), files.packageJson);
  writeFileSync(join(folder, 'package-lock.json'), files.lockFile);
  return folder;
}
