import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoElf, neededBy } from '../../../../scripts/image/needed-libraries.js';
import { LOADED_LATE } from '../../../../scripts/supply-chain/loaded-late.js';
import { PROJECT_ROOT } from '../files/project-root.js';
import { readSettings, unknownSettings } from './settings.js';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const dockerfile = read('Dockerfile');
const ignoreLines = read('.dockerignore').split('\n');

const sourcesOf = (stage: string) =>
  [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => (sources ?? '').split(' '));
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
/** Paths below the project root that are in the image. */
const inImage = [...lastStage.matchAll(/^COPY .* (\S+)$/gm)].map(([, target]) =>
  target === './' ? 'package.json' : target,
);

/** Whether .dockerignore lets a file through: as in Docker, the last line that matches decides. */
function isInBuild(path: string): boolean {
  const lines = ignoreLines.filter((line) => line !== '' && !line.startsWith('#'));
  const last = lines.findLast((line) => {
    const pattern = line.replace(/^!/, '');
    return pattern.startsWith('**/')
      ? matchesAnywhere(path, pattern.slice(3))
      : pattern === '*' || path === pattern || path.startsWith(`${pattern}/`);
  });
  return last?.startsWith('!') ?? true;
}

const matchesAnywhere = (path: string, name: string): boolean =>
  path.split('/').some((part) => (name.startsWith('*') ? part.endsWith(name.slice(1)) : part === name));

/** Every file that is compiled into the image. */
async function programFiles(): Promise<string[]> {
  const files = (await Promise.all(['apps', 'libs'].map((folder) => list(folder)))).flat();
  return files.map((path) => relative(PROJECT_ROOT, path)).filter((path) => path.endsWith('.ts') && isInBuild(path));
}

type Import = Readonly<{ from: string; to: string }>;

const importsOf = (path: string): readonly Import[] =>
  [...read(path).matchAll(/(?:^import [^;]*?|^export [^;]*?from |\bimport\()'([^']+)'/gm)].map(([, to]) => ({
    from: path,
    to: to ?? '',
  }));

async function list(folder: string): Promise<string[]> {
  const entries = await readdir(join(PROJECT_ROOT, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('Dockerfile', () => {
  it('copies only what exists and .dockerignore lets through', () => {
    for (const source of sourcesOf(dockerfile)) {
      expect(existsSync(join(PROJECT_ROOT, source)), source).toBe(true);
      expect(ignoreLines, source).toContain(`!${source}`);
    }
  });

  it('has the labels by which an image leads to its source, its site and its pages', () => {
    const args = [...lastStage.matchAll(/^ARG (\w+)=$/gm)].map(([, name]) => name);
    for (const name of ['source', 'url', 'documentation']) {
      expect(dockerfile).toContain(`org.opencontainers.image.${name}="$${name.toUpperCase()}"`);
      expect(args).toContain(name.toUpperCase());
    }
  });

  it('sets settings that exist', () => {
    const set = [...dockerfile.matchAll(/\b(FLOTILLA_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    expect(set.length).toBeGreaterThan(0);
    expect(unknownSettings(Object.fromEntries(set))).toEqual([]);
    expect(() => readSettings(Object.fromEntries(set))).not.toThrow();
  });

  it('has every file that the programs read below the project root', async () => {
    const uses: string[] = [];
    for (const path of await programFiles()) {
      const text = read(path);
      const all = [...text.matchAll(/\bPROJECT_ROOT\b/g)].length;
      const declared = [...text.matchAll(/(import \{[^}]*|export const )\bPROJECT_ROOT\b/g)].length;
      const joined = [...text.matchAll(/join\(PROJECT_ROOT((?:, '[^']+')+)/g)].map(([, parts]) =>
        [...(parts ?? '').matchAll(/'([^']+)'/g)].map(([, part]) => part).join('/'),
      );
      expect(joined.length, `${path} names the path in other words than join(PROJECT_ROOT, '…')`).toBe(all - declared);
      uses.push(...joined);
    }
    expect(uses).toContain('k8s/base/managed-cluster');
    const missing = uses.filter((path) => !inImage.some((kept) => path === kept || path.startsWith(`${kept}/`)));
    expect(missing).toEqual([]);
  });

  it('has every package that its programs load late, which no import of a bundle names', async () => {
    const texts = (await programFiles()).map(read).filter((text) => text.includes('createRequire('));
    const loaded = texts.flatMap((text) => [...text.matchAll(/\bloadPackage\('([^']+)'\)/g)].map(([, name]) => name));
    expect(loaded).toHaveLength(texts.length);
    expect(loaded.toSorted()).toEqual(LOADED_LATE);
  });

  it('needs no package that is for development alone', async () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const imports = (await programFiles()).flatMap(importsOf).filter(({ to }) => !/^[.#]|^node:/.test(to));
    expect(imports.length).toBeGreaterThan(100);
    const packageOf = (name: string) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
    const missing = imports.filter(({ to }) => !(packageOf(to) in dependencies) && !builtinModules.includes(to));
    expect(missing).toEqual([]);
    expect(dependencies).not.toHaveProperty('testcontainers');
  });

  it('has every file that its programs import, and of the libraries for tests what the demo runs on alone', async () => {
    const files = await programFiles();
    const target = ({ from, to }: Import) => {
      const [, library, rest] = /^#(core|platform|testing)\/(.+)$/.exec(to) ?? [];
      if (library !== undefined) return `libs/${library}/src/${rest}.ts`;
      return to.startsWith('.') ? join(dirname(from), to).replace(/\.js$/, '.ts') : undefined;
    };
    const wanted = files.flatMap(importsOf).flatMap((one) => target(one) ?? []);
    expect([...new Set(wanted)].filter((path) => !files.includes(path))).toEqual([]);
    const testing = files.filter((path) => path.startsWith('libs/testing/'));
    expect(testing).toContain('libs/testing/src/cluster/simulated-fleet.ts');
    expect(testing).not.toContain('libs/testing/src/control-plane/k3s-containers.ts');
  });

  it('copies every file that the scripts of the build import', () => {
    const sources = sourcesOf(dockerfile);
    const open = [...dockerfile.matchAll(/\bnode (scripts\/\S+\.ts)/g)].map(([, path]) => path ?? '');
    expect(open).toHaveLength(4);
    const seen = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const beside = importsOf(path).filter(({ to }) => to.startsWith('.'));
      open.push(...beside.map(({ from, to }) => join(dirname(from), to)));
    }
    const missing = [...seen].filter((path) => !sources.some((one) => path === one || path.startsWith(`${one}/`)));
    expect(missing).toEqual([]);
  });

  it('takes its base image and what reaches npm’s registry from the build, and keeps no secret', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-slim(@sha256:[0-9a-f]{64})?$/m);
    const bases = [...dockerfile.matchAll(/^FROM (.+)$/gm)].map(([, base]) => base?.replace(/[${}]/g, ''));
    expect(bases).toEqual(['NODE_IMAGE AS base', '--platform=BUILDPLATFORM NODE_IMAGE AS build', 'scratch']);
    const installs = dockerfile.split('\nRUN ').filter((command) => command.includes('npm ci'));
    expect(installs).toHaveLength(1);
    for (const command of installs) {
      expect(command).toContain('--mount=type=secret,id=npmrc,target=/root/.npmrc');
      expect(command).toContain('--mount=type=secret,id=build-ca');
    }
  });

  it('runs as a user without rights', () => {
    expect(lastStage).toMatch(/^USER 1000:1000$/m);
  });

  it('runs nothing in its last stage, so that it is built for other processors without emulation', () => {
    expect(lastStage).not.toMatch(/^RUN /m);
  });

  it('is labelled with the version of the package and its licence', () => {
    const { version, license } = JSON.parse(read('package.json'));
    expect(lastStage).toContain(`org.opencontainers.image.version="${version}"`);
    expect(lastStage).toContain(`org.opencontainers.image.licenses="${license}"`);
    expect(lastStage).toContain('org.opencontainers.image.revision="$COMMIT"');
  });

  it('begins with nothing, and takes Node and its libraries alone from the base: no shell, no compiler', () => {
    expect(lastStage).toMatch(/^\nFROM scratch$/m);
    expect(lastStage).toContain('COPY --from=build /image-root/ /\n');
    expect(lastStage).not.toMatch(/--from=base/);
    for (const entry of ['flotilla', 'ready'])
      expect(read(`bin/${entry}-in-image`)).toMatch(/^#!\/usr\/local\/bin\/node\n/);
  });

  it('passes the program of a service to node, and all else to the command', () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-image-'));
    try {
      mkdirSync(join(folder, 'dist/programs'), { recursive: true });
      for (const name of ['applier', 'flotilla']) {
        const program = `for (const one of process.argv.slice(1)) process.stdout.write('[' + one + ']');\n`;
        writeFileSync(join(folder, `dist/programs/${name}.js`), program);
      }
      const script = join(folder, 'flotilla');
      writeFileSync(script, read('bin/flotilla-in-image').replace('/flotilla/', `${folder}/`));
      const entry = (...args: string[]) => execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' });
      expect(entry('dist/programs/applier.js')).toBe(`[${folder}/dist/programs/applier.js]`);
      const command = `[${folder}/dist/programs/flotilla.js]`;
      expect(entry('dist/programs/flotilla.js', 'up')).toBe(`${command}[up]`);
      expect(entry('up', '--kubeconfig', 'a b')).toBe(`${command}[up][--kubeconfig][a b]`);
      expect(entry()).toBe(command);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});

describe('the health check of Compose', () => {
  it.each([
    [200, 0],
    [503, 1],
  ])('answers %i of /readyz with exit code %i', async (status, code) => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(status).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const run = (to: string) =>
      new Promise((resolve) => {
        execFile(process.execPath, [join(PROJECT_ROOT, 'bin/ready-in-image'), to], (error) =>
          resolve(error?.code ?? 0),
        );
      });
    expect(await run(port)).toBe(code);
    expect(paths).toEqual(['/readyz']);
    await new Promise((resolve) => server.close(resolve));
    expect(await run(port)).toBe(1);
  });
});

describe('what a program in ELF needs', () => {
  it.skipIf(process.platform !== 'linux')('is its loader and libraries: those of Node', () => {
    const { loader, libraries } = neededBy(readFileSync(process.execPath));
    expect(loader).toMatch(/^\/lib.*\/ld-/);
    expect(libraries).toContain('libc.so.6');
  });

  it('is unknown for what is no program', () => {
    expect(() => neededBy(Buffer.from('#!/bin/sh\n'.repeat(10)))).toThrow(NoElf);
    expect(() => neededBy(Buffer.alloc(0))).toThrow(NoElf);
  });
});
