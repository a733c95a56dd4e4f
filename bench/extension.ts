import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import type { Catalog, CatalogBundle } from '#core/catalog/model/catalog';
import type { ExtensionCatalog, ExtensionInput } from '#core/v1/extension/catalog-query';
import { packageIndex } from '#core/v1/extension/package-content';
import { resolveExtension } from '#core/v1/extension/resolve-extension';
import { readCatalogTree } from '#platform/files/read-tree';
import { machine } from './machine.js';

// Usage: node dist/bench/extension.js [--newest]. For every package of the real catalog: new, and from each
// of its versions. `--newest`: only new, again and again; prints a line of JSON, `{"medianMs":…,"cpuMs":…}`.

const REAL = '../shared/data/catalogs/v4.20';
const ROUNDS = 20;

const { values } = parseArgs({ options: { newest: { type: 'boolean', default: false } } });
if (existsSync(REAL)) (values.newest ? reportNewest : report)(loadCatalog(await readCatalogTree(REAL)));
else process.stdout.write(`Not run: ${REAL} is not there (the public catalog v4.20).\n`);

function report(catalog: Catalog): void {
  const first = catalog.packages.map(({ name }) => timed(questions(catalog, name).slice(0, 1)));
  const content = packageIndex(catalog, {});
  const warm = catalog.packages.map(({ name }) => {
    const asked = questions(catalog, name, content);
    timed(asked);
    return Array.from({ length: ROUNDS }, () => asked.map((one) => timed([one]))).flat();
  });
  process.stdout.write(`${machine()}; ${catalog.packages.length} packages, ${catalog.bundles.length} bundles\n\n`);
  process.stdout.write('| what | median | p99 |\n| --- | --- | --- |\n');
  row('first question to a package, which prepares it', first);
  row('any question, all packages', warm.flat());
  row('slowest package by its median', warm.toSorted((a, b) => median(b) - median(a))[0] ?? []);
}

/** The newest bundle of every package with nothing installed, once each package was asked for. */
function reportNewest(catalog: Catalog): void {
  const content = packageIndex(catalog, {});
  const asked = catalog.packages.flatMap(({ name }) => questions(catalog, name, content).slice(0, 1));
  timed(asked);
  const before = process.cpuUsage();
  const times = Array.from({ length: ROUNDS * ROUNDS }, () => asked.map((one) => timed([one]))).flat();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(
    `${JSON.stringify({ medianMs: median(times), cpuMs: (user + system) / 1_000 / times.length })}\n`,
  );
}

/** Asked: the newest, then an update from every version, without and with a channel and a range. */
function questions(catalog: Catalog, packageName: string, content = packageIndex(catalog, {})): ExtensionInput[] {
  const catalogs: ExtensionCatalog[] = [
    { name: 'v4.20', labels: {}, priority: 0, availabilityMode: 'Available', content },
  ];
  const channels = catalog.channels.filter((channel) => channel.package === packageName).map(({ name }) => name);
  const installed = catalog.bundles.filter((bundle) => bundle.package === packageName).map(installedFrom);
  const rest = { catalogs, majorUpdates: 'manual' } as const;
  return [
    { query: { packageName }, installed: undefined, ...rest },
    ...installed.flatMap((from) => [
      { query: { packageName }, installed: from, ...rest },
      { query: { packageName, version: '>=0.0.1', channels }, installed: from, ...rest },
    ]),
  ];
}

function installedFrom({ name, properties }: CatalogBundle): NonNullable<ExtensionInput['installed']> {
  const value = properties.find(({ type }) => type === 'olm.package')?.value;
  return { name, version: (value as { version: string }).version };
}

/** Milliseconds for all of them. */
function timed(inputs: readonly ExtensionInput[]): number {
  const start = performance.now();
  for (const input of inputs) resolveExtension(input);
  return performance.now() - start;
}

function row(what: string, times: readonly number[]): void {
  process.stdout.write(`| ${what} | ${median(times).toFixed(3)} ms | ${at(times, 0.99).toFixed(3)} ms |\n`);
}

function median(times: readonly number[]): number {
  return at(times, 0.5);
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}
