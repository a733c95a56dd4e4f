import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The Redis of Ubuntu 22.04. */
export const OLD_VERSION = '6.0.16';

/** Answers a client's first commands, as a Redis of that version. The port is in its configuration. */
const PROGRAM = `#!${process.execPath}
const { createServer } = require('node:net');
const { readFileSync } = require('node:fs');
const port = Number(/^port (\\d+)$/m.exec(readFileSync(process.argv[2], 'utf8'))[1]);
const info = '# Server\\r\\nredis_version:${OLD_VERSION}\\r\\nrun_id:old\\r\\n# Cluster\\r\\ncluster_enabled:0\\r\\n';
const answerTo = (command) =>
  command === 'INFO' ? '$' + info.length + '\\r\\n' + info + '\\r\\n' : command === 'PING' ? '+PONG\\r\\n' : '+OK\\r\\n';
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    for (const [, command] of data.toString().matchAll(/\\*\\d+\\r\\n\\$\\d+\\r\\n(\\w+)/g)) socket.write(answerTo(command.toUpperCase()));
  });
});
server.listen(port, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
`;

export type OldRedis = Readonly<{
  /** Without scheme. */
  address: string;
  /** A folder with it as `redis-server`, for the PATH. */
  folder: string;
  stop: () => void;
}>;

/** A Redis that is too old, running, and as a program. */
export async function startOldRedis(place: string): Promise<OldRedis> {
  const folder = join(place, 'old-redis');
  mkdirSync(folder);
  const program = join(folder, 'redis-server');
  writeFileSync(program, PROGRAM);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'redis.conf'), 'port 0\n');
  const child: ChildProcess = spawn(program, [join(folder, 'redis.conf')], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = child.stdout === null ? [] : ((await once(child.stdout, 'data')) as [Buffer]);
  return { address: `127.0.0.1:${String(port).trim()}`, folder, stop: () => void child.kill('SIGKILL') };
}
