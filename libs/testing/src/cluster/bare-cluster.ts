import type { JsonObject } from './objects/json.js';
import { Refusal } from './objects/refusal.js';
import type { SimulatedResponse } from './server/api-request.js';
import { SimulatedCluster } from './simulated-cluster.js';

export type BareRequest = Readonly<{
  method: string;
  path: string;
  contentType?: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}>;

export type BareAnswer = Readonly<{ code: number; body: JsonObject; warnings: readonly string[] }>;

const TOKEN = 'token';

/** A simulated cluster without a server around it: requests are function calls. */
export class BareCluster {
  readonly cluster: SimulatedCluster;
  constructor(settings: Readonly<{ deploymentReadyAfterMs?: number; version?: string }> = {}) {
    const { version = 'v1.34.4', deploymentReadyAfterMs = 5 } = settings;
    const all = { version, deploymentReadyAfterMs, authorityPem: 'ca' };
    this.cluster = new SimulatedCluster('bare', 'https://localhost', TOKEN, all, () => undefined);
  }

  /** Sends one request as the administrator; refusals are answers. */
  send({ method, path, contentType = 'application/json', body, headers = {} }: BareRequest): BareAnswer {
    const url = new URL(path, 'https://localhost');
    const common = { authorization: `Bearer ${TOKEN}`, 'content-type': contentType, 'user-agent': 'exchange/1' };
    const bytes = Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    const request = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { ...common, ...headers },
      body: bytes,
    };
    try {
      const answer = this.cluster.handle(request);
      if (answer === undefined || 'watch' in answer) throw new TypeError('a watch needs a connection');
      return plain(answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return plain({ code: error.body.code, body: error.body });
    }
  }

  /** Opens a watch; the events are collected as they come. */
  watch(path: string): { events: { type: string; object: JsonObject }[]; ended: () => boolean } {
    const url = new URL(path, 'https://localhost');
    url.searchParams.set('watch', 'true');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const opened = this.cluster.handle({
      method: 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers,
      body: Buffer.alloc(0),
    });
    if (opened === undefined || !('watch' in opened)) throw new TypeError('not a watch');
    const events: { type: string; object: JsonObject }[] = [];
    let ended = false;
    const sink = {
      write: (line: string) => void events.push(JSON.parse(line)),
      end: () => {
        ended = true;
      },
      backlog: () => 0,
    };
    this.cluster.openWatch(opened, url.searchParams, sink);
    return { events, ended: () => ended };
  }

  stop(): void {
    this.cluster.stop();
  }
}

const plain = ({ code, body, warnings = [] }: SimulatedResponse): BareAnswer => ({
  code,
  body: JSON.parse(JSON.stringify(body)),
  warnings,
});
