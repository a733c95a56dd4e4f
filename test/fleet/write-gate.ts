import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type LoopbackCertificate, servingCertificate } from '#testing/cluster/server/certificates';

/** A write of a service on its way to an API server. */
export type GatedWrite = Readonly<{
  cluster: string;
  /** The service's user agent. */
  by: string;
  /** The write, such as `patch subscriptions/status`. */
  what: string;
}>;

export type GateRules = Readonly<{
  /** True if the write arrives; after the write, true if its answer arrives. */
  passes: (write: GatedWrite, when: 'before' | 'after') => Promise<boolean>;
  /** Gets the stored object, even if the answer is lost. */
  noted: (write: GatedWrite, object: KubernetesObject) => void;
}>;

/** An API server as a kubeconfig has it. */
export type GatedServer = Readonly<{ server: string; 'certificate-authority-data': string }>;

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
/** Written all the time, whatever happens; or not kept at all. */
const NOT_COUNTED = /^(leases|events|.*reviews)$/;
const RESOURCE =
  /\/apis?\/(?:[^/]+\/)?v[^/]+\/(?:namespaces\/[^/]+\/(?!status$|finalize$))?([^/]+)(?:\/[^/]+(\/[^/]+)?)?$/;

function writeOf(cluster: string, { method = '', url = '', headers }: http.IncomingMessage): GatedWrite | undefined {
  const verb = VERBS[method];
  const { pathname, searchParams } = new URL(url, 'https://server');
  const [, resource = '', subresource = ''] = RESOURCE.exec(pathname) ?? [];
  const by = headers['user-agent'] ?? '';
  if (verb === undefined || searchParams.has('dryRun') || NOT_COUNTED.test(resource)) return undefined;
  return { cluster, by, what: `${verb} ${resource}${subresource}` };
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Stands before the API server of one cluster, and may lose writes of services or the answers to them. */
export class WriteGate {
  readonly #agent: https.Agent;
  readonly #server: https.Server;
  readonly #target: URL;

  private constructor(
    private readonly cluster: string,
    private readonly certificate: LoopbackCertificate,
    target: GatedServer,
    private readonly rules: GateRules,
  ) {
    this.#target = new URL(target.server);
    const ca = Buffer.from(target['certificate-authority-data'], 'base64');
    // A connection that one side closes while it is idle would look like a broken one.
    this.#agent = new https.Agent({ ca, keepAlive: false });
    const { certPem: cert, keyPem: key } = certificate;
    this.#server = https.createServer({ cert, key, keepAliveTimeout: 0 }, (request, response) => {
      // A service that was killed, or an API server that is away: its client sees a broken connection.
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(cluster: string, target: GatedServer, rules: GateRules): Promise<WriteGate> {
    const gate = new WriteGate(cluster, await servingCertificate(), target, rules);
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    return gate;
  }

  /** The server for a kubeconfig, in place of the API server. */
  get access(): GatedServer {
    const { port } = this.#server.address() as AddressInfo;
    const { pathname } = this.#target;
    const data = Buffer.from(this.certificate.caPem).toString('base64');
    const server = `https://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`;
    return { server, 'certificate-authority-data': data };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
    this.#agent.destroy();
  }

  async #pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const write = writeOf(this.cluster, request);
    const body = await bytesOf(request);
    if (write !== undefined && !(await this.rules.passes(write, 'before'))) return void response.destroy();
    const answer = await this.#forward(request, body, response);
    const { statusCode = 502, headers } = answer;
    if (write === undefined) {
      // A watch is open before anything happens.
      response.writeHead(statusCode, headers).flushHeaders();
      answer.pipe(response);
      return;
    }
    const text = await bytesOf(answer);
    if (statusCode < 300) {
      const isJson = headers['content-type']?.includes('json') === true;
      const stored = isJson ? KubernetesObject.safeParse(JSON.parse(text.toString('utf8'))).data : undefined;
      if (stored !== undefined && stored.kind !== 'Status') this.rules.noted(write, stored);
      if (!(await this.rules.passes(write, 'after'))) return void response.destroy();
    }
    response.writeHead(statusCode, headers).end(text);
  }

  async #forward(
    { method, url, headers }: http.IncomingMessage,
    body: Buffer,
    response: http.ServerResponse,
  ): Promise<http.IncomingMessage> {
    const { hostname, port } = this.#target;
    // Answers to writes are read here.
    const { 'accept-encoding': _encoding, ...sent } = headers;
    const onward = https.request({ hostname, port, path: url, method, headers: sent, agent: this.#agent });
    response.on('close', () => onward.destroy());
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [http.IncomingMessage];
    answer.on('error', () => response.destroy());
    return answer;
  }
}
