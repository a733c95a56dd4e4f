import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program that serves one catalog over HTTP, in a process of its own. */
export type CatalogServer = Readonly<{
  pid: number;
  /** The URL before `/all` and `/metas`. */
  base: string;
  stop: () => Promise<void>;
}>;

/** The command that serves a directory with `flotilla`. */
export const ownServer = (directory: string): readonly string[] => [
  'bin/flotilla',
  'catalog',
  'serve',
  directory,
  '--name',
  'bench',
  '--port',
  '0',
];

/** Starts a server and waits for its first line: it names a URL that ends in `/all`. */
export async function startServer([program = '', ...args]: readonly string[]): Promise<CatalogServer> {
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await firstLine(server);
  const base = /http:\S+(?=\/all)/.exec(line)?.[0];
  if (base === undefined || server.pid === undefined) {
    server.kill('SIGTERM');
    throw new Error(`${program} printed no URL that ends in /all: ${JSON.stringify(line)}`);
  }
  const ended = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  return { pid: server.pid, base, stop };
}

async function firstLine(server: ChildProcess): Promise<string> {
  if (server.stdout === null) return '';
  const failed = once(server, 'error').then(([error]) => Promise.reject(error));
  const [line] = (await Promise.race([once(createInterface(server.stdout), 'line'), once(server, 'exit'), failed])) as [
    unknown,
  ];
  return String(line);
}
