import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that Linux gives to outgoing connections (`net.ipv4.ip_local_port_range`, from 32768): one
 * of those may be taken before the process listens that it was chosen for.
 */
const [FIRST, LAST] = [15_000, 29_999];
const MOST_TRIES = 200;
const given = new Set<number>();

/** Returns loopback ports without a listening process that this process has not given out before. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries >= count + MOST_TRIES) throw new Error(`no ${count} free ports between ${FIRST} and ${LAST}`);
    const port = randomInt(FIRST, LAST + 1);
    const server = given.has(port) ? undefined : await listening(port);
    if (server === undefined) continue;
    given.add(port);
    held.push(server);
    ports.push(port);
  }
  await Promise.all(held.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Returns undefined if the port is taken. */
function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
