import { Readable } from 'node:stream';
import { fixedCredentials } from '#platform/kube/access/credentials';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import { type ApiRequest, type ApiResponse, HttpTransport } from '#platform/kube/transport/http-transport';
import { TransportError } from '#platform/kube/transport/transport.error';
import type { Exchange } from '#platform/kube/transport/wire';
import { Refusal } from './objects/refusal.js';
import type { OpenWatch } from './server/api-handler.js';
import type { SimulatedRequest, SimulatedResponse } from './server/api-request.js';
import type { SimulatedCluster } from './simulated-cluster.js';

/** Requests to a simulated cluster as function calls: no socket, no TLS, and nothing is sent again. */
class BareTransport extends HttpTransport {
  /** Whether the API server is away: every request fails before it arrives. */
  isAway = false;

  constructor(private readonly cluster: SimulatedCluster) {
    super({ server: new URL(cluster.url), credentials: fixedCredentials({ headers: {}, tls: {} }) });
  }

  override async request(request: ApiRequest): Promise<ApiResponse> {
    const { code, body, warnings = [] } = await this.#answer(request);
    const headers = warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) };
    return { status: code, headers, text: typeof body === 'string' ? body : JSON.stringify(body) };
  }

  override async stream(request: ApiRequest): Promise<Exchange> {
    const simulated = simulatedRequest(this.cluster, request);
    const answer = await this.#served(simulated);
    const body = new Readable({ read: () => undefined });
    if ('watch' in answer) {
      const sink = { write: (line: string) => void body.push(line), end: () => void body.push(null), backlog: () => 0 };
      const watch = this.cluster.openWatch(answer, simulated.query, sink);
      body.on('close', () => watch.end());
      request.signal?.addEventListener('abort', () => body.destroy(), { once: true });
      return { status: 200, headers: {}, body, whole: () => true };
    }
    body.push(JSON.stringify(answer.body));
    body.push(null);
    return { status: answer.code, headers: {}, body, whole: () => true };
  }

  async #answer(request: ApiRequest): Promise<SimulatedResponse> {
    const answer = await this.#served(simulatedRequest(this.cluster, request));
    if ('watch' in answer) throw new TypeError('a watch is a stream');
    return answer;
  }

  async #served(request: SimulatedRequest): Promise<SimulatedResponse | OpenWatch> {
    if (this.isAway) throw new TransportError('unreachable', 'connection refused');
    await this.cluster.admitted(request);
    try {
      const answer = this.cluster.handle(request);
      if (answer === undefined) throw new TransportError('lost', 'the connection ended before the answer did');
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { code: error.body.code, body: error.body };
    }
  }
}

function simulatedRequest({ token }: SimulatedCluster, request: ApiRequest): SimulatedRequest {
  const { method, path, headers = {}, body = '' } = request;
  const { pathname, searchParams: query } = new URL(path, 'https://localhost');
  const sent = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  const all = { authorization: `Bearer ${token}`, 'user-agent': 'flotilla', ...Object.fromEntries(sent) };
  return { method, path: pathname, query, headers: all, body: Buffer.from(body) };
}

/** A client of a simulated cluster that has no server around it, and what cuts it off from the cluster. */
export type BareClient = Readonly<{ client: HttpKubeClient; cutOff: (isAway: boolean) => void }>;

/** The client that the services use, on {@link BareTransport}. */
export function bareClient(cluster: SimulatedCluster, fieldManager: string): BareClient {
  const transport = new BareTransport(cluster);
  const client = new HttpKubeClient({ cluster: cluster.name, transport, fieldManager });
  return {
    client,
    cutOff: (isAway) => {
      transport.isAway = isAway;
    },
  };
}
