import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { generateCatalog } from './catalogs/generate-catalog.js';
import { machine } from './machine.js';

// Questions to `flotilla catalog serve`, in a process of its own, one after the other over one connection.
const REAL = '../shared/data/catalogs/v4.20';
const QUESTIONS = 1_000;
const WHOLE = 30;

type Row = Readonly<{ what: string; path: (at: number) => string; times: number; gzip?: boolean }>;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const folder = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
try {
  process.stdout.write(
    `${machine()}\n\n| catalog | question | answer | p50 | p99 |\n| --- | --- | --- | --- | --- |\n`,
  );
  if (existsSync(REAL)) await measure('v4.20, 14.8 MB YAML', REAL);
  const large = join(folder, 'large');
  await generateCatalog(large, { packages: 400, bundles: 25, textLength: 12_500, format: 'json' });
  await measure('400 × 25, 150 MB JSON', large);
  if (!existsSync(REAL)) process.stdout.write(`\nNot run: ${REAL} is not there (the public catalog v4.20).\n`);
} finally {
  agent.destroy();
  await rm(folder, { recursive: true, force: true });
}

async function measure(catalog: string, directory: string): Promise<void> {
  const command = ['catalog', 'serve', directory, '--name', 'bench', '--port', '0'];
  const server = spawn('bin/flotilla', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const base = /http:\S+(?=\/all)/.exec(line)?.[0] ?? '';
    const packages = await namesAt(`${base}/metas?schema=olm.package`);
    for (const row of rows(packages)) {
      const { milliseconds, bytes } = await timed(base, row);
      const [p50, p99] = [0.5, 0.99].map((part) => milliseconds[Math.floor(milliseconds.length * part)] ?? Number.NaN);
      process.stdout.write(`| ${catalog} | ${row.what} | ${size(bytes)} | ${ms(p50)} | ${ms(p99)} |\n`);
    }
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

function rows(packages: readonly string[]): Row[] {
  const of = (at: number) => encodeURIComponent(packages[at % packages.length] ?? '');
  return [
    { what: '`metas?package=`', path: (at) => `/metas?package=${of(at)}`, times: QUESTIONS },
    { what: '`metas?package=`, gzip', path: (at) => `/metas?package=${of(at)}`, times: QUESTIONS / 5, gzip: true },
    {
      what: '`metas?schema=olm.package&name=`',
      path: (at) => `/metas?schema=olm.package&name=${of(at)}`,
      times: QUESTIONS,
    },
    { what: '`metas?schema=olm.package`', path: () => '/metas?schema=olm.package', times: QUESTIONS },
    { what: '`metas?package=`, nothing found', path: () => '/metas?package=nobody', times: QUESTIONS },
    { what: '`all`', path: () => '/all', times: WHOLE },
    { what: '`all`, gzip', path: () => '/all', times: WHOLE / 10, gzip: true },
  ];
}

/** Sorted; `bytes` is the median answer, as sent. */
async function timed(base: string, row: Row): Promise<{ milliseconds: number[]; bytes: number }> {
  const milliseconds: number[] = [];
  const sizes: number[] = [];
  for (let at = 0; at < row.times; at += 1) {
    const start = performance.now();
    const { length } = await ask(`${base}${row.path(at)}`, row.gzip);
    milliseconds.push(performance.now() - start);
    sizes.push(length);
  }
  const ascending = (a: number, b: number) => a - b;
  const bytes = sizes.sort(ascending)[Math.floor(sizes.length / 2)] ?? 0;
  return { milliseconds: milliseconds.sort(ascending), bytes };
}

async function namesAt(url: string): Promise<string[]> {
  const lines = (await ask(url)).toString().trim().split('\n');
  return lines.map((line) => String((JSON.parse(line) as Record<string, unknown>)['name']));
}

function ask(url: string, gzip = false): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: gzip ? { 'accept-encoding': 'gzip' } : {} }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', reject);
    }).on('error', reject);
  });
}

function ms(value = Number.NaN): string {
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
