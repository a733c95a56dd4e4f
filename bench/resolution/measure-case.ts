import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogIndex } from '#core/catalog/model/catalog-index';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { indexCatalog, sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import type {
  DesiredNamespace,
  DesiredSubscription,
  Resolution,
} from '#core/classic/resolution/problem/resolution-problem';
import { resolve } from '#core/classic/resolution/resolve';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { CatalogShelf } from '../../apps/cli/src/resolution/catalog-shelf.js';
import { CASES, REAL_CASES } from './resolution-cases.js';

/** The folder of the real catalog; it is not part of the project. */
export const REAL_CATALOGS = join(PROJECT_ROOT, '../shared/data/catalogs');
export const hasRealCatalog = (): boolean => existsSync(join(REAL_CATALOGS, 'v4.20'));

/** Measures of one process for one case; times in milliseconds, memory in MiB. */
export type Measured = Readonly<{
  answer: string;
  /** From the catalog as it is stored (real: files; made up: JSON of its records) to the answer. */
  coldMs: number;
  /** The part of the first answer alone, once the index is in memory: the first that this process gives. */
  firstMs: number;
  warm: Readonly<{ runs: number; medianMs: number; p99Ms: number; cpuMs: number }>;
  peakMiB: number;
}>;

const WARM_MS = 1_500;
const MAX_RUNS = 2_000;

/**
 * Measures the case of the given name in this process. Use a fresh process. `warmMs`: time for warm answers.
 */
export async function measureCase(name: string, warmMs = WARM_MS): Promise<Measured> {
  const { open, subscriptions } = stored(name);
  const desired = desiredFor(subscriptions);
  const begun = performance.now();
  const index = await open();
  const asked = performance.now();
  const first = answer(desired, index);
  const answered = performance.now();
  const warm = warmRuns(() => answer(desired, index), warmMs);
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  return { answer: summary(first), coldMs: answered - begun, firstMs: answered - asked, warm, peakMiB };
}

type Stored = Readonly<{ open: () => Promise<CatalogIndex>; subscriptions: readonly DesiredSubscription[] }>;

function stored(name: string): Stored {
  const real = REAL_CASES.find((one) => one.name === name);
  if (real !== undefined)
    return { open: () => new CatalogShelf().index(REAL_CATALOGS, 'v4.20'), subscriptions: real.subscriptions };
  const found = CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case "${name}"`);
  const { records, subscriptions } = found.make();
  const text = JSON.stringify(records);
  return { open: async () => indexCatalog(JSON.parse(text) as PackageRecord[]), subscriptions };
}

const desiredFor = (subscriptions: readonly DesiredSubscription[]): DesiredNamespace => ({
  namespace: 'bench',
  globalCatalogNamespace: 'olm',
  operatorGroups: [{ name: 'group', upgradeStrategy: '', excludeGlobal: false }],
  subscriptions: subscriptions.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  csvs: [],
});

function answer(desired: DesiredNamespace, index: CatalogIndex): Resolution {
  const { slices, records } = sliceCatalogs(desired, [
    { key: { namespace: 'bench', name: 'bench' }, priority: 0, index },
  ]);
  return resolve({ v: 1, wishes: desired, catalogs: slices }, (hash) => {
    const record = records.get(hash);
    if (record === undefined) throw new Error(`no record ${hash}`);
    return record;
  });
}

function warmRuns(run: () => unknown, warmMs: number): Measured['warm'] {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (const end = performance.now() + warmMs; performance.now() < end && times.length < MAX_RUNS; ) {
    const begun = performance.now();
    run();
    times.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { runs: times.length, medianMs: at(0.5), p99Ms: at(0.99), cpuMs: (user + system) / 1_000 / times.length };
}

function summary(resolution: Resolution): string {
  if (resolution.result === 'resolved') return `${resolution.chosen.length} bundles`;
  if (resolution.result === 'error') return resolution.code ?? resolution.message;
  const crowd = resolution.explanation.some(({ kind }) => kind === 'crowd');
  return `unsatisfiable${crowd ? ', one reason' : ''}`;
}
