import { once } from 'node:events';
import { createServer } from 'node:http';

/** The hub's answers by path. */
export type HubPages = Readonly<
  Record<string, Readonly<{ status?: number; headers?: Record<string, string>; body: unknown }>>
>;
export type FakeHub = Readonly<{
  url: string;
  /** The `Authorization` headers of the requests that came. */
  authorizations: readonly (string | undefined)[];
  stop(): Promise<void>;
}>;

const UP = { status: 'up', detail: 'works' };

/** A hub that is ready. */
export const READY_HUB: HubPages = {
  '/livez': { body: { status: 'ok' } },
  '/readyz': { body: { status: 'ok', details: { watches: { ...UP, clusters: ['east'] }, redis: UP } } },
  '/version': { body: { version: '9.8.7', commit: 'c'.repeat(40), node: 'v24.0.0', platform: 'linux/arm64' } },
  '/metrics': { body: '' },
};

/** A server that answers a few paths as the hub does, and 404 elsewhere. */
export async function startFakeHub(pages: HubPages = READY_HUB): Promise<FakeHub> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    const page = pages[request.url ?? ''];
    response.writeHead(page === undefined ? 404 : (page.status ?? 200), {
      'content-type': 'application/json',
      ...page?.headers,
    });
    response.end(JSON.stringify(page?.body ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    authorizations,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A hub that names its watched clusters as they are at each request. */
export const startWatchingHub = (clusters: () => readonly string[]): Promise<FakeHub> =>
  startFakeHub({
    get '/readyz'() {
      return { body: { status: 'ok', details: { watches: { status: 'up', detail: '', clusters: clusters() } } } };
    },
  });
