import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable } from '#platform/debian/executable';
import { type DockerEngine, DockerFailed, docker, runProgram } from './docker-command.js';

/** The first one that knows `required: false` and merges as docker-compose.yml needs it. */
const AT_LEAST = { major: 2, minor: 20 };
const VERSION = 'v2.29.7';
const SOURCE = `github.com/docker/compose/v2/cmd@${VERSION}`;
/** Without it the program calls itself `dev`. */
const LINK_FLAGS = `-s -w -X github.com/docker/compose/v2/internal.Version=${VERSION}`;
const BUILD_WITHIN_MS = 1_800_000;

/**
 * The engine with `docker compose`: the one of the machine, else one that is built from the Go module proxy
 * into `folder`, once. A string: in one line why there is none.
 */
export async function ensureCompose(
  engine: DockerEngine,
  folder: string,
  log: (line: string) => void,
): Promise<DockerEngine | string> {
  if (await isNewEnough(engine)) return engine;
  const config = join(folder, 'config');
  const withOurs = { ...engine, environment: { ...engine.environment, DOCKER_CONFIG: config } };
  const plugin = join(config, 'cli-plugins', 'docker-compose');
  if (!existsSync(plugin)) {
    const failed = await build(engine, folder, plugin, log);
    if (failed !== undefined) return failed;
  }
  return (await isNewEnough(withOurs)) ? withOurs : `${plugin} does not run`;
}

async function isNewEnough(engine: DockerEngine): Promise<boolean> {
  const version = await docker(engine, ['compose', 'version', '--short'], 20_000).catch(() => '');
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > AT_LEAST.major || (Number(major) === AT_LEAST.major && Number(minor) >= AT_LEAST.minor);
}

async function build(
  { environment }: DockerEngine,
  folder: string,
  plugin: string,
  log: (line: string) => void,
): Promise<string | undefined> {
  const missing = `no Docker Compose ${AT_LEAST.major}.${AT_LEAST.minor} or newer`;
  const path = `${environment['PATH'] ?? ''}:/usr/local/go/bin`;
  if (findExecutable('go', path) === undefined) return `${missing}, and no Go to build it with`;
  log('building Docker Compose with Go; once, about seven minutes on two cores');
  const out = join(folder, 'go-bin');
  const settings = { PATH: path, CGO_ENABLED: '0', GOBIN: out, GOFLAGS: '-trimpath' };
  try {
    await runProgram(
      { ...environment, ...settings },
      ['go', 'install', '-ldflags', LINK_FLAGS, SOURCE],
      BUILD_WITHIN_MS,
    );
  } catch (error) {
    if (!(error instanceof DockerFailed)) throw error;
    return `${missing}, and it cannot be built: ${error.output.split('\n').at(-1)}`;
  }
  await mkdir(join(plugin, '..'), { recursive: true });
  await rename(join(out, 'cmd'), plugin);
  await rm(out, { recursive: true, force: true, maxRetries: 5 });
  return undefined;
}
