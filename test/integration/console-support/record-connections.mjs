import { ChildProcess } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

// Imported before a program: each way out of its process becomes a line of the file CONNECTIONS_FILE, as `HOST:PORT`,
// `dns NAME`, `udp` or `runs PROGRAM`. HTTP, TLS, WebSockets and `fetch` all connect sockets of `node:net`.
const record = (line) => appendFileSync(process.env['CONNECTIONS_FILE'], `${line}\n`);

/** The method of the object, recorded first. */
function recorded(object, method, lineOf) {
  const original = object[method];
  object[method] = function (...args) {
    const line = lineOf(...args);
    if (line !== undefined) record(line);
    return original.apply(this, args);
  };
}

const addressOf = ({ host, port, path }) => (path ? `pipe ${path}` : `${host || 'localhost'}:${port}`);
recorded(net.Socket.prototype, 'connect', (...args) => {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object') return addressOf(first);
  return typeof first === 'string' && !/^\d+$/.test(first)
    ? addressOf({ path: first })
    : addressOf({ port: first, host: typeof second === 'string' ? second : undefined });
});
recorded(dgram.Socket.prototype, 'send', () => 'udp');
recorded(ChildProcess.prototype, 'spawn', ({ file }) => `runs ${file}`);

const isAddress = (name) => net.isIP(name) !== 0 || name === 'localhost';
const question = (name) => (isAddress(name) ? undefined : `dns ${name}`);
for (const object of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const method of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse'])
    if (typeof object[method] === 'function') recorded(object, method, question);
syncBuiltinESMExports();
