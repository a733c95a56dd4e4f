import { type Agent, get } from 'node:http';

const QUESTIONS = 1_000;
const WHOLE = 30;

/** A kind of question to a server of a catalog; `path` is relative to the catalog's own path. */
export type Question = Readonly<{ what: string; path: (at: number) => string; times: number; gzip?: boolean }>;

/** What is asked of a catalog with these packages, one after the other. */
export function questionsAbout(packages: readonly string[]): Question[] {
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
    { what: '`metas?package=`, nothing found', path: () => '/metas?package=none-of-this-name', times: QUESTIONS },
    { what: '`all`', path: () => '/all', times: WHOLE },
    { what: '`all`, gzip', path: () => '/all', times: WHOLE / 10, gzip: true },
  ];
}

/** The question for the package with most bytes, where its name is known. */
export const questionFor = (packageName: string): Question => ({
  what: '`metas?package=`, the largest',
  path: () => `/metas?package=${encodeURIComponent(packageName)}`,
  times: QUESTIONS / 5,
});

/** Names of a catalog's packages, and which of them has most bytes. */
export async function packagesAt(base: string, agent: Agent): Promise<Readonly<{ names: string[]; largest: string }>> {
  const lines = (await ask(`${base}/metas?schema=olm.package`, { agent })).toString().trim().split('\n');
  const names = lines.map((line) => String((JSON.parse(line) as Record<string, unknown>)['name']));
  let largest = { name: '', bytes: -1 };
  for (const name of names) {
    const { length } = await ask(`${base}/metas?package=${encodeURIComponent(name)}`, { agent });
    if (length > largest.bytes) largest = { name, bytes: length };
  }
  return { names, largest: largest.name };
}

/** Milliseconds of each, sorted; `bytes` is the median answer, as sent. */
export async function timed(
  base: string,
  { path, gzip = false, times }: Question,
  agent: Agent,
): Promise<{ milliseconds: number[]; bytes: number }> {
  const milliseconds: number[] = [];
  const sizes: number[] = [];
  for (let at = 0; at < times; at += 1) {
    const start = performance.now();
    sizes.push(await bytesOf(`${base}${path(at)}`, { agent, gzip }));
    milliseconds.push(performance.now() - start);
  }
  const ascending = (a: number, b: number) => a - b;
  const bytes = sizes.sort(ascending)[Math.floor(sizes.length / 2)] ?? 0;
  return { milliseconds: milliseconds.sort(ascending), bytes };
}

type Asking = Readonly<{ agent: Agent; gzip?: boolean }>;

/** The whole answer. */
async function ask(url: string, asking: Asking): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await received(url, asking, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** How many bytes come. Putting 13 MB together would take the client as long as the answer takes. */
async function bytesOf(url: string, asking: Asking): Promise<number> {
  let bytes = 0;
  await received(url, asking, ({ length }) => {
    bytes += length;
  });
  return bytes;
}

function received(url: string, { agent, gzip = false }: Asking, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: gzip ? { 'accept-encoding': 'gzip' } : {} }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} was answered with ${response.statusCode}`));
      response.on('data', take);
      response.on('end', resolve);
      response.on('error', reject);
    }).on('error', reject);
  });
}
