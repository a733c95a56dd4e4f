import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { fileError } from '../../files/file-tree.error.js';
import { parseImageReference } from '../client/image-reference.js';
import type { Login, RegistryCredentials } from '../client/registry-client.port.js';
import { type DockerConfig, InvalidPullSecret, readDockerConfig, userLogin } from './docker-config.js';
import { matchingKeys } from './registry-credentials.js';

const HELPER_MS = 10_000;
const MAX_HELPER_BYTES = 1024 * 1024;
const HelperAnswer = z.looseObject({ Username: z.string(), Secret: z.string().min(1) });

/**
 * Returns the logins of the command's user for one image. They are from REGISTRY_AUTH_FILE alone if it is
 * set. Otherwise they are from all of Docker's config.json, and the auth.json of podman and skopeo; the first
 * that knows a host wins. Credential helpers that these files name for the image's host are asked. Throws
 * InvalidPullSecret, naming the file.
 */
export async function localCredentials(
  image: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<RegistryCredentials> {
  const configs = await configsOf(environment);
  const found: [string, Login][] = [];
  for (const { logins, helpers } of configs.toReversed()) {
    for (const key of matchingKeys(parseImageReference(image), Object.keys(helpers))) {
      const login = await askHelper(helpers[key] ?? '', key, environment);
      if (login !== undefined) found.push([key, login]);
    }
    found.push(...Object.entries(logins));
  }
  return Object.fromEntries(found);
}

async function configsOf(environment: NodeJS.ProcessEnv): Promise<DockerConfig[]> {
  const { REGISTRY_AUTH_FILE, DOCKER_CONFIG, XDG_RUNTIME_DIR, XDG_CONFIG_HOME, HOME = homedir() } = environment;
  if (REGISTRY_AUTH_FILE) {
    const text = await readFile(REGISTRY_AUTH_FILE, 'utf8').catch((error: unknown) => {
      throw new InvalidPullSecret(`REGISTRY_AUTH_FILE: ${fileError('open', REGISTRY_AUTH_FILE, error).message}`);
    });
    return [readDockerConfig(text, `the file ${REGISTRY_AUTH_FILE}`)];
  }
  const candidates = [
    join(DOCKER_CONFIG || join(HOME, '.docker'), 'config.json'),
    XDG_RUNTIME_DIR ? join(XDG_RUNTIME_DIR, 'containers', 'auth.json') : undefined,
    join(XDG_CONFIG_HOME || join(HOME, '.config'), 'containers', 'auth.json'),
  ];
  const configs: DockerConfig[] = [];
  for (const path of candidates) {
    const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined && holdsLogins(text)) configs.push(readDockerConfig(text, `the file ${path}`));
  }
  return configs;
}

/** A Docker config need not hold logins: it also keeps settings of the Docker command. */
const holdsLogins = (text: string) => /"(?:auths|credsStore|credHelpers)"/.test(text);

/**
 * The protocol of Docker's credential helpers: the key on stdin, JSON on stdout. A helper that
 * knows nothing ends with 1.
 */
async function askHelper(name: string, key: string, environment: NodeJS.ProcessEnv): Promise<Login | undefined> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new InvalidPullSecret(`"${name}" is not the name of a credential helper`);
  }
  const program = `docker-credential-${name}`;
  const text = await outputOf(program, key, environment);
  if (text === undefined) return undefined;
  const answer = HelperAnswer.safeParse(parseOrUndefined(text)).data;
  if (answer !== undefined) return userLogin(answer.Username, answer.Secret);
  throw new InvalidPullSecret(`the credential helper ${program} gave no login for "${key}" that can be read`);
}

/**
 * Returns the output of the helper. Returns undefined if it ends with an error of its own: it says so that it
 * knows nothing.
 */
function outputOf(program: string, input: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      ['get'],
      { env, timeout: HELPER_MS, maxBuffer: MAX_HELPER_BYTES },
      (error, text) => {
        if (error === null) resolve(text);
        else if (typeof error.code === 'number' && !error.killed) resolve(undefined);
        else {
          const why = error.killed ? `it did not end within ${HELPER_MS} ms` : String(error.code ?? error.name);
          reject(new InvalidPullSecret(`the credential helper ${program} failed: ${why}`));
        }
      },
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
