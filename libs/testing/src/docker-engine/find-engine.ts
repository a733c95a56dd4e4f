import { join } from 'node:path';
import type { Environment } from '#platform/config/setting';
import { findExecutable } from '#platform/debian/executable';
import { installDebianPackage } from '#platform/debian/install-package';
import { findDocker } from '#platform/redis/local/docker-redis';
import { cacheFolderOf } from '../control-plane/binaries.js';
import { ensureCompose } from './compose-plugin.js';
import { type DockerEngine, DockerFailed } from './docker-command.js';
import { startOwnEngine } from './own-engine.js';

export type EngineSearch = Readonly<{
  environment: Environment;
  /** Gets a line for each step that takes long. */
  log: (line: string) => void;
}>;

/** Returns the folder for images, and for programs that are built here; outlives the checkout. */
export const dockerFolder = (environment: Environment): string => join(cacheFolderOf(environment), 'docker');

/**
 * Returns a Docker engine of this machine with Compose: the one that answers, otherwise one started as root
 * on Linux, from Debian's packages if it is missing. A string: the reason in one line that there is none.
 */
export async function findEngine(search: EngineSearch): Promise<DockerEngine | string> {
  const engine = await anyEngine(search);
  if (typeof engine === 'string') return engine;
  try {
    const ready = await ensureCompose(engine, dockerFolder(search.environment), search.log);
    if (typeof ready === 'string') await engine.stop();
    return ready;
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function anyEngine({ environment, log }: EngineSearch): Promise<DockerEngine | string> {
  if (process.platform !== 'linux') return 'not Linux, where containers reach servers of this machine';
  const host = environment['DOCKER_HOST'] ?? '';
  if (host !== '' && !host.startsWith('unix://')) return 'DOCKER_HOST names an engine on another machine';
  const found = await findDocker(environment);
  if (typeof found !== 'string') {
    return { environment, describe: 'the Docker engine that answers here', stop: () => Promise.resolve() };
  }
  if (process.getuid?.() !== 0) return `${found}, and one is started as root alone`;
  for (const [program, name] of PROGRAMS) {
    if (findExecutable(program, pathOf(environment)) !== undefined) continue;
    const failed = await installDebianPackage(name, environment, log);
    if (failed !== undefined) return `${found}, and none can be started: ${failed.because}`;
  }
  try {
    const path = pathOf(environment);
    return await startOwnEngine({ ...environment, PATH: path }, join(dockerFolder(environment), 'data'));
  } catch (error) {
    if (!(error instanceof DockerFailed)) throw error;
    return `no Docker engine answers, and dockerd does not start: ${error.output.split('\n').at(-1)}`;
  }
}

/** Programs that an engine needs, with their Debian packages. */
const PROGRAMS = [
  ['dockerd', 'docker.io'],
  ['docker', 'docker-cli'],
  ['iptables', 'iptables'],
  ['ip', 'iproute2'],
] as const;

const pathOf = (environment: Environment): string => `${environment['PATH'] ?? ''}:/usr/sbin:/sbin`;
