import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DiskContentStore } from '#platform/content/disk-content-store';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { boundGarbage } from '#platform/processes/service-memory';
import { CatalogContents, type LoadedCatalog } from '../../libs/lifecycle/src/catalogs/contents/catalog-contents.js';
import { CatalogReader } from '../../libs/lifecycle/src/catalogs/contents/catalog-reader.js';
import { DirectoryRegistry } from './directory-registry.js';

// One step of the hub's work with a catalog, in a process of its own: `hub-steps.js STEP CATALOG STATE`.
const [step = '', catalog = '', state = ''] = process.argv.slice(2);

boundGarbage();
const store = await DiskContentStore.open(`${state}/content`);
/** The thread that reads catalogs is that of the poller's program, with the packages it uses in one file. */
const thread = pathToFileURL(join(PROJECT_ROOT, 'dist/programs/read-catalog.thread.js'));
const reader = new CatalogReader({}, thread);
const contents = new CatalogContents(new DirectoryRegistry(catalog), store, `${state}/poller`, reader);
const load = (): Promise<LoadedCatalog> => contents.ofImage('registry.example/catalog:latest', { credentials: {} });

/** Milliseconds of the work alone, without the start of the process. */
async function timed(work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  writeFileSync(process.env['FLOTILLA_BENCH_TIME'] ?? '/dev/null', String(performance.now() - start));
}

async function openFromRedis(): Promise<void> {
  const { findRedis } = await import('#platform/redis/local/find-redis');
  const { connectRedis } = await import('#platform/redis/redis-connection');
  const { RedisProblemStore } = await import('#platform/store/redis-problem-store');
  const found = await findRedis({ log: () => undefined });
  const redis = connectRedis(found.url);
  try {
    const problems = new RedisProblemStore(redis, { prefix: `bench-${process.pid}`, ttlSeconds: 120 });
    const { index } = await load();
    const all = [...index.packagesFor({ kind: 'all', of: [] })].flatMap((name) => index.package(name) ?? []);
    const records = new Map(all.map(({ hash, record }) => [hash, record]));
    const desired = {
      namespace: 'bench',
      globalCatalogNamespace: 'olm',
      operatorGroups: [],
      subscriptions: [],
      csvs: [],
    };
    await problems.putProblem({ v: 1, wishes: desired, catalogs: [] }, records);
    await timed(() => Promise.all([...records.keys()].map((hash) => problems.getRecord(hash))));
  } finally {
    redis.disconnect();
    await found.stop();
  }
}

const steps: Readonly<Record<string, () => Promise<void>>> = {
  index: () => timed(load),
  restarted: () => timed(load),
  polled: () => load().then(() => timed(load)),
  'open-from-redis': openFromRedis,
};
await steps[step]?.();
