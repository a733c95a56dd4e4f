import { existsSync, realpathSync } from 'node:fs';
import { copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findExecutable } from '#platform/debian/executable';
import { installDebianPackage } from '#platform/debian/install-package';
import { type DockerEngine, DockerFailed, docker, runProgram } from './docker-command.js';
import type { EngineSearch } from './find-engine.js';

/** The images that the Dockerfile and docker-compose.yml begin with. */
export type BaseImages = Readonly<{
  node: string;
  redis: string;
  /** Origin of the images, such as Docker Hub, for people. */
  describe: string;
}>;

const OFFICIAL = { node: 'node:24-slim', redis: 'redis:7.4-alpine', registry: 'registry:2' };
const STAND_INS = {
  base: 'flotilla-stand-in/debian:bookworm',
  node: 'flotilla-stand-in/node:24',
  redis: 'flotilla-stand-in/redis:7',
  registry: 'flotilla-stand-in/registry:2',
};

const PULL_WITHIN_MS = 120_000;
const BOOTSTRAP_WITHIN_MS = 900_000;

/**
 * Returns the images that the settings of compose name, otherwise those of Docker Hub, otherwise stand-ins.
 * Stand-ins are made here, once: Debian from its archive with this machine's Node and npm, and with Debian's
 * Redis. A string: the reason in one line that there are none.
 */
export async function baseImages(
  engine: DockerEngine,
  folder: string,
  { environment, log }: EngineSearch,
): Promise<BaseImages | string> {
  const named = { node: environment['FLOTILLA_NODE_IMAGE'], redis: environment['FLOTILLA_REDIS_IMAGE'] };
  const wanted = { node: named.node || OFFICIAL.node, redis: named.redis || OFFICIAL.redis };
  if (await areThere(engine, [wanted.node, wanted.redis])) return { ...wanted, describe: 'base images of this engine' };
  if (!(await areThere(engine, [STAND_INS.node, STAND_INS.redis]))) {
    const pulls = [wanted.node, wanted.redis].map((image) =>
      docker(engine, ['pull', '--quiet', image], PULL_WITHIN_MS),
    );
    const failed = (await Promise.allSettled(pulls)).find(({ status }) => status === 'rejected');
    if (failed === undefined) return { ...wanted, describe: 'base images of their registry' };
    const closed = await makeStandIns(engine, folder, { environment, log });
    if (closed !== undefined) return `no registry gives ${wanted.node} and ${wanted.redis}, and ${closed}`;
  }
  return {
    ...STAND_INS,
    describe: 'stand-ins for the base images: Debian, with this machine’s Node and Debian’s Redis',
  };
}

/** An image of the distribution registry: Docker Hub's, else a stand-in with Debian's package. */
export async function registryImage(
  engine: DockerEngine,
  folder: string,
  { log }: EngineSearch,
): Promise<Readonly<{ image: string }> | Readonly<{ because: string }>> {
  for (const image of [OFFICIAL.registry, STAND_INS.registry]) if (await areThere(engine, [image])) return { image };
  const context = join(folder, 'stand-ins', 'registry');
  try {
    if (!(await areThere(engine, [STAND_INS.base]))) {
      await docker(engine, ['pull', '--quiet', OFFICIAL.registry], PULL_WITHIN_MS);
      return { image: OFFICIAL.registry };
    }
    log('making a stand-in for the image of a registry from Debian’s archive; once, about half a minute');
    await mkdir(context, { recursive: true });
    await buildImage(engine, STAND_INS.registry, context, REGISTRY_LINES);
    return { image: STAND_INS.registry };
  } catch (error) {
    if (!(error instanceof DockerFailed)) throw error;
    return { because: `${OFFICIAL.registry}, which the Docker engine neither has nor gets` };
  } finally {
    await rm(context, { recursive: true, force: true, maxRetries: 5 });
  }
}

const areThere = (engine: DockerEngine, images: readonly string[]): Promise<boolean> =>
  docker(engine, ['image', 'inspect', '--format', '{{.Id}}', ...images]).then(
    () => true,
    () => false,
  );

async function makeStandIns(
  engine: DockerEngine,
  folder: string,
  { environment, log }: EngineSearch,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'stand-ins are made as root alone';
  const path = `${environment['PATH'] ?? ''}:/usr/sbin`;
  if (findExecutable('debootstrap', path) === undefined) {
    const failed = await installDebianPackage('debootstrap', environment, log);
    if (failed !== undefined) return failed.because;
  }
  log('making stand-ins for the base images from Debian’s archive; once, about two minutes on two cores');
  const work = join(folder, 'stand-ins');
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(work, { recursive: true });
  await importDebian(engine, work, { ...environment, PATH: path });
  await buildImage(engine, STAND_INS.node, join(work, 'node'), NODE_LINES, (context) => addNode(context, environment));
  await buildImage(engine, STAND_INS.redis, join(work, 'redis'), REDIS_LINES);
  await rm(work, { recursive: true, force: true, maxRetries: 5 });
  return undefined;
}

/** As small as `debian:bookworm-slim`: without pages, translations and lists of packages. */
const LEFT_OUT = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/cache/apt',
  'var/lib/apt/lists',
];

async function importDebian(
  engine: DockerEngine,
  work: string,
  environment: EngineSearch['environment'],
): Promise<void> {
  const root = join(work, 'debian');
  const bootstrap = ['debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', root];
  await runProgram(environment, bootstrap, BOOTSTRAP_WITHIN_MS);
  const tar = ['tar', '-C', root, '-cf', `${root}.tar`, ...LEFT_OUT.map((path) => `--exclude=./${path}/*`), '.'];
  await runProgram(environment, tar, BOOTSTRAP_WITHIN_MS);
  await docker(engine, ['import', `${root}.tar`, STAND_INS.base]);
}

const NODE_LINES = [
  `FROM ${STAND_INS.base}`,
  'COPY node /usr/local/bin/node',
  'COPY npm /usr/local/lib/node_modules/npm',
  'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && groupadd -g 1000 node && useradd -u 1000 -g node -m node',
];

/** Lines with the user of the official image, and with its declared volume `/data`. */
const REDIS_LINES = [
  `FROM ${STAND_INS.base}`,
  'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/*',
  'RUN mkdir -p /data && chown 999:1000 /data',
  'VOLUME /data',
  'CMD ["redis-server", "--protected-mode", "no"]',
];

const REGISTRY_LINES = [
  `FROM ${STAND_INS.base}`,
  'RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends docker-registry && rm -rf /var/lib/apt/lists/*',
  'RUN printf "version: 0.1\\nstorage: {filesystem: {rootdirectory: /var/lib/registry}}\\nhttp: {addr: 0.0.0.0:5000}\\n" > /registry.yml',
  'VOLUME /var/lib/registry',
  'CMD ["docker-registry", "serve", "/registry.yml"]',
];

async function addNode(context: string, environment: EngineSearch['environment']): Promise<void> {
  await copyFile(realpathSync(process.execPath), join(context, 'node'));
  const npm = findExecutable('npm', environment['PATH'] ?? '');
  if (npm !== undefined) await cp(join(dirname(realpathSync(npm)), '..'), join(context, 'npm'), { recursive: true });
}

/** Builds with the older builder: it takes images of this engine alone and needs no plugin. */
async function buildImage(
  engine: DockerEngine,
  name: string,
  context: string,
  lines: readonly string[],
  fill: (context: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  if (!existsSync(context)) await mkdir(context, { recursive: true });
  await writeFile(join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  await fill(context);
  const older = { environment: { ...engine.environment, DOCKER_BUILDKIT: '0' } };
  await docker(older, ['build', '--quiet', '--tag', name, context]);
}
