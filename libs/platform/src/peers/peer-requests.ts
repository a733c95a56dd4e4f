import { Agent, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { finished, type Readable } from 'node:stream';
import { checkServerIdentity } from 'node:tls';
import { PeerUnreachable } from './peer-unreachable.error.js';

type PeerRequest = Readonly<{
  method: string;
  /** Path and query, as the client sent them. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Header that the peer admits. */
  authorization: string;
}>;

export type PeerAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Must be read to its end, or destroyed. */
  body: Readable;
}>;

/** Headers of the request that the answer depends on. Names are those of Node, in lower case. */
const PASSED_ON = [
  ...['accept', 'accept-encoding', 'range', 'if-range'],
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'],
] as const;
/** Headers of the answer that concern the connection between the two, and not the content. */
const NOT_PASSED_BACK = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'trailer', 'upgrade'];

const CONNECTED_WITHIN_MS = 3_000;
/** Time without a byte from the peer, before its answer begins and in the middle of it. */
const SILENT_MS = 30_000;
/** Requests at the same time, to all peers together: each takes a socket and less than half a MiB. */
const MOST_AT_ONCE = 128;

/** Sends requests of clients on to other processes of the hub, and passes their answers back as they come. */
export class PeerRequests {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #secureAgent: SecureAgent;
  #underWay = 0;

  /** `host`: the name that certificates of peers are made for, since peers are reached by their addresses. */
  constructor(host: string | undefined) {
    this.#secureAgent = new SecureAgent({ keepAlive: true, ...namedAs(host) });
  }

  /** Any status is an answer. @throws PeerUnreachable */
  async send(url: string, { method, target, headers, authorization }: PeerRequest): Promise<PeerAnswer> {
    if (!target.startsWith('/')) throw new PeerUnreachable(url, 'the request names no path');
    if (this.#underWay >= MOST_AT_ONCE) throw new PeerUnreachable(url, 'too many requests are under way');
    this.#underWay += 1;
    const ended = () => {
      this.#underWay -= 1;
    };
    try {
      const answer = await this.#answer(url, {
        method,
        path: target,
        headers: { ...passedOn(headers), authorization },
      });
      finished(answer, ended);
      return { status: answer.statusCode ?? 502, headers: passedBack(answer.headers), body: answer };
    } catch (error) {
      ended();
      throw new PeerUnreachable(url, error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  #answer(url: string, options: RequestOptions): Promise<IncomingMessage> {
    const { protocol, hostname, port } = new URL(url);
    const isSecure = protocol === 'https:';
    const where = { host: hostname.replaceAll(/[[\]]/g, ''), port, agent: isSecure ? this.#secureAgent : this.#agent };
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? secureRequest : request)({ ...options, ...where });
      const late = setTimeout(() => sent.destroy(new Error('no connection')), CONNECTED_WITHIN_MS);
      const stop = () => clearTimeout(late);
      sent.once('socket', (socket) => (socket.connecting ? socket.once('connect', stop) : stop()));
      sent.setTimeout(SILENT_MS, () => sent.destroy(new Error(`nothing came for ${SILENT_MS} ms`)));
      sent.once('close', stop).once('response', resolve).on('error', reject).end();
    });
  }
}

/** A name in SNI and in the certificate; an address is in the certificate alone. */
const namedAs = (host: string | undefined) =>
  host === undefined
    ? {}
    : {
        ...(isIP(host) === 0 ? { servername: host } : {}),
        checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
          checkServerIdentity(host, certificate),
      };

const passedOn = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));

const passedBack = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || NOT_PASSED_BACK.includes(name) ? [] : [[name, String(value)]],
    ),
  );
