import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCatalog } from './catalogs/generate-catalog.js';
import { usageOf } from './fleet/process-usage.js';
import { machine } from './machine.js';
import { ownServer, startServer } from './metas/catalog-server.js';
import { packagesAt, questionFor, questionsAbout, timed } from './metas/questions.js';

// Questions to `flotilla catalog serve`, in a process of its own, one after the other over one connection.
const REAL = '../shared/data/catalogs/v4.20';

const folder = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
try {
  process.stdout.write(
    `${machine()}\n\n| catalog | question | answer | p50 | p99 | CPU of the server |\n| --- | --- | --- | --- | --- | --- |\n`,
  );
  if (existsSync(REAL)) await measure('v4.20, 14.8 MB YAML', REAL);
  const large = join(folder, 'large');
  await generateCatalog(large, { packages: 400, bundles: 25, textLength: 12_500, format: 'json' });
  await measure('400 × 25, 150 MB JSON', large);
  if (!existsSync(REAL)) process.stdout.write(`\nNot run: ${REAL} is not there (the public catalog v4.20).\n`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function measure(catalog: string, directory: string): Promise<void> {
  const server = await startServer(ownServer(directory));
  try {
    const ready = await usageOf(server.pid);
    const { names, largest } = await packagesAt(server.base);
    for (const question of [...questionsAbout(names), questionFor(largest)]) {
      const before = await usageOf(server.pid);
      const { milliseconds, bytes } = await timed(server.base, question);
      const after = await usageOf(server.pid);
      const [p50, p99] = [0.5, 0.99].map((part) => milliseconds[Math.floor(milliseconds.length * part)] ?? Number.NaN);
      const cpu = (1_000 * ((after?.cpuSeconds ?? Number.NaN) - (before?.cpuSeconds ?? Number.NaN))) / question.times;
      const cells = [catalog, question.what, size(bytes), ms(p50), ms(p99), ms(cpu)];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
    const end = await usageOf(server.pid);
    const memory = [ready?.residentMiB, end?.residentMiB, end?.peakMiB].map((value) => `${Math.round(value ?? 0)} MiB`);
    process.stdout.write(`| ${catalog} | memory: ready, at the end, peak | ${memory.join(' | ')} | |\n`);
  } finally {
    await server.stop();
  }
}

function ms(value = Number.NaN): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
