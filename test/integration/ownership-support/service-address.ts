import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type ServiceAddress = Readonly<{ url: string; stop: () => Promise<void> }>;

/**
 * One address for several servers of this machine, as a Service of Kubernetes has it: each connection goes to
 * the next of them in turn, and past those that take none.
 */
export async function startServiceAddress(ports: readonly number[]): Promise<ServiceAddress> {
  let turn = 0;
  const open = new Set<Socket>();
  const dial = async (): Promise<Socket | undefined> => {
    for (const _ of ports) {
      const socket = connect(ports[turn++ % ports.length] ?? 0, '127.0.0.1');
      if (await once(socket, 'connect').then(Boolean, () => false)) return socket;
    }
    return undefined;
  };
  const join = (client: Socket, backend: Socket) => {
    for (const [one, other] of [
      [client, backend],
      [backend, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy()).once('close', () => other.destroy());
    }
    client.pipe(backend).pipe(client);
  };
  const server = createServer((client) => {
    client.pause().on('error', () => client.destroy());
    void dial().then((backend) => (backend === undefined ? client.destroy() : join(client, backend)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    stop: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
