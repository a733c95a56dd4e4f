import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Manifest } from 'vite';

// Usage: node scripts/build-pages.ts. Writes the pages of the console into dist/console, each file next to
// its brotli and gzip forms. Fails if a page needs more than its budget (docs/console.md).

const root = resolve(import.meta.dirname, '..');
const out = join(root, 'dist/console');

/** Most bytes, compressed with gzip. */
const BUDGETS = { firstPage: 60_000, laterPage: 25_000, styles: 8_000 };

const ENTRY = 'index.html';
const FIRST_PAGE = 'pages/fleet/fleet.page.tsx';

await build({
  root: join(root, 'apps/console/web'),
  configFile: false,
  logLevel: 'warn',
  base: '/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { conditions: ['flotilla-source', 'module', 'browser', 'default'] },
  build: {
    outDir: out,
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // Vite's own loader only adds `<link>` elements, and the page's policy allows them.
    modulePreload: { polyfill: false },
  },
});

const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as Manifest;
await rm(join(out, 'manifest.json'));
const sizes = new Map<string, number>();
for (const name of await readdir(out, { recursive: true })) {
  if (!/\.(html|js|css|svg)$/.test(name)) continue;
  const content = await readFile(join(out, name));
  const zipped = await promisify(gzip)(content, { level: 9 });
  await writeFile(join(out, `${name}.gz`), zipped);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  await writeFile(join(out, `${name}.br`), await promisify(brotliCompress)(content, { params: quality }));
  sizes.set(name.replaceAll('\\', '/'), zipped.length);
}

/** The files of an entry of the manifest with all that it imports. */
function filesOf(key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (chunk === undefined) throw new Error(`building the pages: the manifest has no ${key}`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const one of chunk.imports ?? []) filesOf(one, found);
  return found;
}

const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0);

const first = filesOf(FIRST_PAGE, filesOf(ENTRY));
const tooLarge: string[] = [];
const check = (what: string, bytes: number, budget: number) => {
  if (bytes > budget) tooLarge.push(`${what}: ${bytes} bytes, compressed; the budget is ${budget}`);
};
check('script of the first page', sum(first), BUDGETS.firstPage);
for (const key of Object.keys(manifest).filter((name) => name.endsWith('.page.tsx'))) {
  check(key, sum(filesOf(key).difference(first)), BUDGETS.laterPage);
}
check('styles', sum([...sizes.keys()].filter((name) => name.endsWith('.css'))), BUDGETS.styles);
if (process.argv.includes('--sizes')) {
  console.log(`script of the first page: ${sum(first)} bytes`);
  for (const [name, bytes] of [...sizes].sort()) console.log(`${name}: ${bytes}`);
}
if (tooLarge.length > 0) {
  await rm(out, { recursive: true });
  for (const line of tooLarge) console.error(`building the pages: ${line}`);
  process.exitCode = 1;
}
