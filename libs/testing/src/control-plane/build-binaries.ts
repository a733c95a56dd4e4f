import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from '#platform/config/setting';
import { executableIn } from './binaries.js';

const SCRIPT = join('scripts', 'build-control-plane.sh');

/** Builds the binaries into `folder` with Go; undefined when they are there, else why they are not. */
export async function buildBinaries(
  folder: string,
  environment: Environment,
  log: (line: string) => void,
): Promise<string | undefined> {
  const path = (environment['PATH'] ?? '').split(delimiter);
  if (executableIn(path, 'go') === undefined) return 'Go is not on PATH, so the binaries cannot be built here';
  const script = above(import.meta.dirname, SCRIPT);
  if (script === undefined) return `${SCRIPT} is not there (not a checkout), so the binaries cannot be built here`;
  log(`building them with Go into ${folder}; once, about twelve minutes on two cores`);
  return new Promise((resolve) => {
    const child = spawn('bash', [script, folder], { stdio: ['ignore', 'inherit', 'pipe'], env: environment });
    let last = '';
    createInterface(child.stderr).on('line', (line) => {
      last = line;
      log(line.replace(/^control plane: /, ''));
    });
    child.on('error', (error) => resolve(`${SCRIPT}: ${error.message}`));
    child.on('close', (code) => resolve(code === 0 ? undefined : `${SCRIPT} failed (exit ${code}): ${last}`));
  });
}

function above(folder: string, file: string): string | undefined {
  const candidate = join(folder, file);
  if (existsSync(candidate)) return candidate;
  const parent = dirname(folder);
  return parent === folder ? undefined : above(parent, file);
}
