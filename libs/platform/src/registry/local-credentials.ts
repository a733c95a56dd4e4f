import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { credentialsOf } from './docker-config.js';
import type { RegistryCredentials } from './registry-client.port.js';

/**
 * Logins of the person at the keyboard, from the first file that is there: REGISTRY_AUTH_FILE, Docker's config.json, the
 * auth.json of podman and skopeo. None where there is no such file.
 */
export async function localCredentials(environment: NodeJS.ProcessEnv = process.env): Promise<RegistryCredentials> {
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR, HOME = homedir() } = environment;
  const candidates = [
    REGISTRY_AUTH_FILE,
    join(DOCKER_CONFIG ?? join(HOME, '.docker'), 'config.json'),
    XDG_RUNTIME_DIR === undefined ? undefined : join(XDG_RUNTIME_DIR, 'containers', 'auth.json'),
  ];
  for (const path of candidates) {
    const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined && hasLogins(text)) return credentialsOf(text);
  }
  return {};
}

/** A Docker config need not hold logins: it also keeps settings of the Docker command. */
const hasLogins = (text: string) => text.includes('"auths"');
