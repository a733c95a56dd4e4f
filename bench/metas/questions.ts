import { OneConnection } from './one-connection.js';

const QUESTIONS = 1_000;
const WHOLE = 30;

/** A kind of question to a server of a catalog; `path` is relative to the catalog's own path. */
export type Question = Readonly<{ what: string; path: (at: number) => string; times: number; gzip?: boolean }>;

/** Returns the questions about a catalog with these packages, one after the other. */
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

/** Returns the question for the package with most bytes, if its name is known. */
export const questionFor = (packageName: string): Question => ({
  what: '`metas?package=`, the largest',
  path: () => `/metas?package=${encodeURIComponent(packageName)}`,
  times: QUESTIONS / 5,
});

/** Returns the names of a catalog's packages, and the one with most bytes. */
export async function packagesAt(base: string): Promise<Readonly<{ names: string[]; largest: string }>> {
  const connection = await OneConnection.open(base);
  try {
    const pieces: Buffer[] = [];
    const { pathname } = new URL(base);
    await connection.ask(`${pathname}/metas?schema=olm.package`, false, (piece) => pieces.push(Buffer.from(piece)));
    const lines = Buffer.concat(pieces).toString().trim().split('\n');
    const names = lines.map((line) => String((JSON.parse(line) as Record<string, unknown>)['name']));
    let largest = { name: '', bytes: -1 };
    for (const name of names) {
      const { bytes } = await connection.ask(`${pathname}/metas?package=${encodeURIComponent(name)}`);
      if (bytes > largest.bytes) largest = { name, bytes };
    }
    return { names, largest: largest.name };
  } finally {
    connection.close();
  }
}

/** Milliseconds of each, sorted; `bytes` is the median answer, as sent. One connection for all. */
export async function timed(
  base: string,
  { path, gzip = false, times }: Question,
): Promise<{ milliseconds: number[]; bytes: number }> {
  const milliseconds: number[] = [];
  const sizes: number[] = [];
  const { pathname } = new URL(base);
  const connection = await OneConnection.open(base);
  try {
    for (let at = 0; at < times; at += 1) {
      const start = performance.now();
      const { status, bytes } = await connection.ask(`${pathname}${path(at)}`, gzip);
      milliseconds.push(performance.now() - start);
      if (status !== 200) throw new Error(`${base}${path(at)} was answered with ${status}`);
      sizes.push(bytes);
    }
  } finally {
    connection.close();
  }
  const ascending = (a: number, b: number) => a - b;
  const bytes = sizes.sort(ascending)[Math.floor(sizes.length / 2)] ?? 0;
  return { milliseconds: milliseconds.sort(ascending), bytes };
}
