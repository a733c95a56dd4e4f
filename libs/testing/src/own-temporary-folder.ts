import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives a run of tests a temporary folder of its own, and removes it at the end: what tests and programs
 * leave there does not stay on the machine. Vitest calls it once for each project; the projects of a run
 * share the folder.
 */
export default function ownTemporaryFolder(): (() => void) | undefined {
  const { FLOTILLA_TEST_FOLDER: given } = process.env;
  if (given !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-run-'));
  // Programs of another user must get to their files.
  chmodSync(folder, 0o755);
  process.env['FLOTILLA_TEST_FOLDER'] = folder;
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
