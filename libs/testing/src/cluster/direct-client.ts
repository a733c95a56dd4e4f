import { PassThrough } from 'node:stream';
import { HttpKubeClient } from '#platform/kube/client/http-kube-client';
import { fixedCredentials } from '#platform/kube/transport/credentials';
import { type ApiRequest, type ApiResponse, HttpTransport } from '#platform/kube/transport/http-transport';
import { TransportError } from '#platform/kube/transport/transport.error';
import type { Exchange } from '#platform/kube/transport/wire';
import { Refusal } from './objects/refusal.js';
import type { OpenWatch } from './server/api-handler.js';
import type { SimulatedRequest, SimulatedResponse } from './server/api-request.js';
import { SimulatedCluster } from './simulated-cluster.js';

const TOKEN = 'token';

export type DirectClusterOptions = Readonly<{ version?: string; deploymentReadyAfterMs?: number }>;

/** A simulated cluster, and Flotilla's own client of it with function calls for requests. */
export type DirectCluster = Readonly<{
  cluster: SimulatedCluster;
  client: HttpKubeClient;
  /** For further clients of the cluster. */
  transport: HttpTransport;
  stop: () => Promise<void>;
}>;

/**
 * For tests of a millisecond: no socket, no TLS. A request or an answer that
 * `cluster.lossOf` takes away fails as a broken connection does.
 */
export function directCluster(name: string, options: DirectClusterOptions = {}): DirectCluster {
  const { version = 'v1.34.4', deploymentReadyAfterMs = 1 } = options;
  const settings = { version, deploymentReadyAfterMs, authorityPem: 'ca' };
  const cluster = new SimulatedCluster(name, `https://${name}.test`, TOKEN, settings, () => undefined);
  const transport = new DirectTransport(cluster);
  const client = new HttpKubeClient({ cluster: name, transport, fieldManager: 'flotilla-applier' });
  const stop = async () => {
    cluster.stop();
    await client.close();
  };
  return { cluster, client, transport, stop };
}

/** A client of a simulated cluster that has no server around it, and the switch that cuts it off. */
export type DirectClient = Readonly<{ client: HttpKubeClient; cutOff: (isAway: boolean) => void }>;

/** Returns the client that services use, for an existing cluster. */
export function directClient(cluster: SimulatedCluster, fieldManager: string): DirectClient {
  const transport = new DirectTransport(cluster);
  const client = new HttpKubeClient({ cluster: cluster.name, transport, fieldManager });
  return {
    client,
    cutOff: (isAway) => {
      transport.isAway = isAway;
    },
  };
}

/** Hands requests to a simulated cluster in this process. */
class DirectTransport extends HttpTransport {
  /** True while the API server is unreachable: every request fails before it arrives. */
  isAway = false;

  constructor(private readonly cluster: SimulatedCluster) {
    super({ server: new URL(cluster.url), credentials: fixedCredentials({ headers: {}, tls: {} }) });
  }

  override async request(request: ApiRequest): Promise<ApiResponse> {
    const { signal } = request;
    if (signal?.aborted) throw new TransportError('closed', 'the request was aborted');
    const answer = await this.#answer(request);
    if ('watch' in answer) throw new TypeError('a watch has no whole answer');
    return whole(answer);
  }

  override async stream(request: ApiRequest): Promise<Exchange> {
    const answer = await this.#answer(request);
    const body = new PassThrough();
    const exchange = { headers: {}, body, whole: () => body.writableFinished, cancel: () => void body.destroy() };
    if (!('watch' in answer)) {
      const { status, text } = whole(answer);
      body.end(text);
      return { ...exchange, status };
    }
    const sink = {
      write: (line: string) => void body.write(line),
      end: () => void body.end(),
      backlog: () => body.writableLength,
    };
    const opened = this.cluster.openWatch(answer, new URL(request.path, this.server).searchParams, sink);
    body.on('close', () => opened.end());
    for (const signal of [request.signal, request.until]) {
      if (signal?.aborted) body.destroy();
      else signal?.addEventListener('abort', () => body.destroy(), { once: true });
    }
    return { ...exchange, status: 200 };
  }

  async #answer({ method, path, headers = {}, body = '' }: ApiRequest): Promise<SimulatedResponse | OpenWatch> {
    if (this.isAway) throw new TransportError('unreachable', 'connection refused');
    const url = new URL(path, this.server);
    const sent = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
    const request: SimulatedRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { authorization: `Bearer ${this.cluster.token}`, 'user-agent': 'flotilla', ...Object.fromEntries(sent) },
      body: Buffer.from(body),
    };
    await this.cluster.admitted(request);
    try {
      const answer = this.cluster.handle(request);
      if (answer === undefined) throw new TransportError('lost', 'the connection ended before the answer came');
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { code: error.body.code, body: error.body };
    }
  }
}

function whole({ code, body, warnings = [] }: SimulatedResponse): ApiResponse {
  const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`);
  return { status: code, headers: { warning }, text: typeof body === 'string' ? body : JSON.stringify(body) };
}
