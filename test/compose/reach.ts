import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ComposeFixture } from './compose-fixture.js';
import { type Container, serviceOf } from './compose-stack.js';

/**
 * Asks for each `host port` if the server there answers, of this stack or of this test. A program in between
 * may accept any connection and answer with a text of its own.
 */
const TRY = `
const net = require('node:net');
const tryOne = (target) => new Promise((resolve) => {
  const [host, port] = target.split(' ');
  const socket = net.connect({ host, port: Number(port) });
  const end = (reached) => { socket.destroy(); resolve(reached); };
  socket.setTimeout(1500, () => end(false));
  socket.on('connect', () => socket.write('GET /livez HTTP/1.0\\r\\n\\r\\n'));
  socket.on('data', (answer) => end(/^(HTTP\\/1\\.[01] 200|-[A-Z]+ )/.test(answer.toString())));
  socket.on('end', () => end(false));
  socket.on('error', () => end(false));
});
Promise.all(process.argv.slice(1).map(tryOne)).then((all) => console.log(JSON.stringify(all)));
`;

const PORTS: Readonly<Record<string, number>> = {
  redis: 6379,
  'catalog-poller': 8080,
  'resolver-worker': 8081,
  applier: 8082,
  console: 8084,
};

/**
 * Returns the servers that the container reaches: services of the stack, and `machine` for a server of this
 * machine.
 */
export async function reachOf(fixture: ComposeFixture, container: Container): Promise<string[]> {
  const { stack } = fixture;
  // On all addresses, as many servers of a machine listen.
  const server = createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n')).listen(0, '0.0.0.0');
  await once(server, 'listening');
  try {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const targets = await targetsOf(fixture, container, port);
    // In the container's network, whatever programs its image has.
    const from = ['run', '--rm', '--network', `container:${container.Id}`, '--entrypoint', 'node'];
    const image = stack.settings['FLOTILLA_IMAGE'] ?? '';
    const tried = await stack.docker(...from, image, '-e', TRY, ...targets.map(({ at }) => at));
    const reached = JSON.parse(tried) as boolean[];
    return [...new Set(targets.flatMap(({ name }, index) => (reached[index] === true ? [name] : [])))].sort();
  } finally {
    server.close();
  }
}

async function targetsOf({ stack, gateway }: ComposeFixture, from: Container, port: number) {
  const containers = await stack.containers();
  const services = containers
    .filter((one) => serviceOf(one) !== serviceOf(from))
    .flatMap((one) =>
      Object.values(one.NetworkSettings.Networks).map(({ IPAddress }) => ({
        name: serviceOf(one),
        at: `${IPAddress} ${PORTS[serviceOf(one)]}`,
      })),
    );
  const gateways = containers.flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Networks).map(({ Gateway }) => Gateway),
  );
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const addresses = own.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address);
  const machine = [...new Set([gateway, ...gateways, ...addresses])].filter((address) => address !== '');
  return [
    ...services.filter(({ at }) => !at.startsWith(' ')),
    ...machine.map((host) => ({ name: 'machine', at: `${host} ${port}` })),
  ];
}
