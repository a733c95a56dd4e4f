import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '#platform/config/setting';
import { runProgram } from './docker-command.js';

const ANSWER_WITHIN_MS = 30_000;

/**
 * Returns settings of docker-compose.yml for a build to reach the npm registry that this machine uses: an
 * `.npmrc` in `folder` and the authority of an inspecting proxy. Settings that the environment already names
 * stay.
 */
export async function buildAccess(environment: Environment, folder: string): Promise<Record<string, string>> {
  const access: Record<string, string> = {};
  const authority = environment['FLOTILLA_BUILD_CA'] || environment['NODE_EXTRA_CA_CERTS'];
  if (authority && existsSync(authority)) access['FLOTILLA_BUILD_CA'] = authority;
  const own = environment['FLOTILLA_BUILD_NPMRC'];
  if (own) return { ...access, FLOTILLA_BUILD_NPMRC: own };
  const ask = (name: string) =>
    runProgram(environment, ['npm', 'config', 'get', name, '--loglevel=silent'], ANSWER_WITHIN_MS).then((text) =>
      text.trim(),
    );
  const [registry, userFile] = await Promise.all([ask('registry'), ask('userconfig')]);
  const file = join(folder, 'npmrc');
  const lines = existsSync(userFile) ? readFileSync(userFile, 'utf8') : '';
  // It may hold a login, so only this user may read it.
  await writeFile(file, `${lines.trimEnd()}\nregistry=${registry}\n`, { mode: 0o600 });
  return { ...access, FLOTILLA_BUILD_NPMRC: file };
}
