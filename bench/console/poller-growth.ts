import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { measureAtRest } from '../fleet-upgrade/measure-at-rest.js';

/** Memory of the poller at rest, MiB: memory in use after a garbage collection, and resident memory. */
export type PollerMemory = Readonly<{ usedMiB: number; residentMiB: number }>;
export type PollerGrowth = Readonly<{ without: PollerMemory; withRows: PollerMemory }>;

type Options = Readonly<{ clusters: number; operators: number; say: (line: string) => void }>;

const POLLER = 'catalog-poller';
const IDLE_SECONDS = 20;
const WITHOUT_ROWS = join(PROJECT_ROOT, 'dist', 'bench', 'console', 'without-rows.process.js');

/**
 * Measures a poller over a simulated fleet with running operators, with the rows of the console and without
 * them. Both run the modules as they are compiled, not as one program, so that the parts for rows can be left
 * out.
 */
export async function measurePollerGrowth(options: Options): Promise<PollerGrowth> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-unbundled-'));
  try {
    await mkdir(join(folder, 'dist'));
    await symlink(join(PROJECT_ROOT, 'dist', 'apps'), join(folder, 'dist', 'apps'));
    const withRows = await memoryOf(folder, options, undefined);
    const without = await memoryOf(folder, options, `--import=${WITHOUT_ROWS}`);
    return { without, withRows };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function memoryOf(
  checkout: string,
  { clusters, operators, say }: Options,
  nodeOptions: string | undefined,
): Promise<PollerMemory> {
  const { collected } = await measureAtRest({
    size: { clusters, operators, pollers: 1, appliers: 1 },
    ...{ idleSeconds: IDLE_SECONDS, bare: false, checkout, nodeOptions, say },
  });
  const found = collected.get(POLLER);
  if (found === undefined) throw new Error('the poller did not say how much memory it has');
  const { heapUsed, external, rss } = found;
  return { usedMiB: (heapUsed + external) / 2 ** 20, residentMiB: rss / 2 ** 20 };
}
