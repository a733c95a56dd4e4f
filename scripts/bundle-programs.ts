import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { PROGRAM_ENTRIES } from './program-entries.ts';
import { LOADED_LATE } from './supply-chain/loaded-late.ts';

// Usage: node scripts/bundle-programs.ts. Writes each program with the packages it uses into dist/programs.
// Node then reads some thirty files at a start instead of two thousand, in less than half of the processor
// time (decision 0154).

const root = resolve(import.meta.dirname, '..');
const programs = join(root, 'dist/programs');

/** Files that code reads from beside itself. */
const FILES = {
  proto: 'libs/platform/src/registry/grpc/proto',
  'kubernetes-types.json': 'libs/testing/src/cluster/types/kubernetes-types.json',
};

const EXTERNAL = [
  // They find their own files by their place, or evaluate code.
  /^@grpc\//,
  ...LOADED_LATE,
  // Only installed for developers who run tests.
  'testcontainers',
  // Nest asks for these if they are installed; Flotilla uses none of them.
  /^@nestjs\/(axios|microservices|mongoose|platform-express|sequelize|typeorm|websockets)/,
  /^@fastify\/(multipart|static|view)/,
  /^@mikro-orm\//,
  /^class-(transformer|validator)/,
  'point-of-view',
];

/**
 * Modules that are nearly always loaded together are one file: each further file costs half a millisecond. A
 * module belongs to the group of the highest priority.
 */
const GROUPS = [
  {
    name: 'kernel',
    // The errors of registries, too: a thread that reads layers needs no more of the command.
    test: /libs\/(core\/src\/kernel\/(canonical|durations|errors|json|text|versions)\/|platform\/src\/registry\/client\/registry-client\.port)/,
    priority: 3,
  },
  {
    name: 'catalog',
    test: /libs\/core\/src\/catalog\/(read\/(read-blobs|decode-blob)|validate\/validate-catalog)\.ts$/,
    priority: 2,
  },
  { name: 'command', test: /apps\/cli\/src\/program\.ts$/, priority: 1 },
];

const bundle = await rolldown({
  cwd: root,
  input: PROGRAM_ENTRIES,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  resolve: { conditionNames: ['flotilla-source', 'node', 'import', 'default'] },
  external: EXTERNAL,
  onLog: (_level, { message }) => {
    throw new Error(`bundling the programs: ${message}`);
  },
});
await rm(programs, { recursive: true, force: true });
await mkdir(programs, { recursive: true });
const { output } = await bundle.write({
  dir: programs,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
  codeSplitting: { groups: GROUPS },
  comments: { legal: true, annotation: false, jsdoc: false },
});
const files = new Set(output.map(({ fileName }) => fileName));
const packages = output
  .flatMap((file) => (file.type === 'chunk' ? file.imports : []))
  .filter((name) => !isBuiltin(name) && !files.has(name))
  .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
// Packages that must lie next to the programs.
await writeFile(
  join(programs, 'packages.json'),
  `${JSON.stringify([...new Set([...packages, ...LOADED_LATE])].sort())}\n`,
);
for (const file of await readdir(programs)) {
  if (!file.endsWith('.js')) continue;
  const path = join(programs, file);
  await writeFile(path, inAscii(file, await readFile(path, 'utf8')));
}
for (const [name, source] of Object.entries(FILES)) {
  await cp(join(root, source), join(programs, name), { recursive: true });
}

/**
 * Escapes all characters outside ASCII. V8 holds the text of every program as long as it runs. Node gives the
 * text two bytes a character if one is not ASCII: a few dozen of them would take 5 MiB of each service. In
 * strings, templates and patterns an escape means the same.
 */
function inAscii(file: string, code: string): string {
  const unsafe = /\\[^\0-\x7f]/.exec(code) ?? /String\.raw`[^`]*[^\0-\x7f]/.exec(code);
  if (unsafe !== null) throw new Error(`bundling the programs: ${file} has ${JSON.stringify(unsafe[0])}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
