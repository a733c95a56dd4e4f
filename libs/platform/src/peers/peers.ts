import type { IncomingHttpHeaders } from 'node:http';
import { isFromPeer, peerAuthorization } from '../http/http-access.js';
import type { HubKey } from '../keys/hub-key.js';
import { peerUrl } from './peer-name.js';
import type { PeerAnswer, PeerRequests } from './peer-requests.js';
import { PeerUnreachable } from './peer-unreachable.error.js';

/** A request of a client that was admitted here. */
export type AdmittedRequest = Readonly<{
  method: string;
  /** Path and query, as the client sent them. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Path in the spelling of `canonicalPath`. */
  path: string;
}>;

type PeersOptions = Readonly<{
  ownership: Readonly<{
    /** The name of the other process that works for the cluster. */
    otherOwnerOf: (cluster: string) => string | undefined;
    /** The names of the other processes that are alive. */
    others: () => readonly string[];
  }>;
  /** True if the hub has the cluster: nothing is asked about others. */
  has: (cluster: string) => boolean;
  key: HubKey;
  requests: Pick<PeerRequests, 'send'>;
}>;

/** More pollers are not asked for content that the others do not have. */
const MOST_ASKED = 32;

/**
 * The other pollers of the hub. A client admitted here may need an answer that only one of them has. That
 * poller is asked with a code of the hub's key that opens the one path: tokens of clients go nowhere. A
 * poller that is asked by another one answers itself and asks no further one.
 */
export class Peers {
  /** The one that had the last content that was looked for. */
  #had = '';

  constructor(private readonly options: PeersOptions) {}

  /**
   * Returns the answer of the poller that works for the cluster. Returns undefined if this one must answer:
   * it works for the cluster, no poller does, or another poller asks.
   *
   * @throws PeerUnreachable
   */
  async ofCluster(cluster: string, request: AdmittedRequest): Promise<PeerAnswer | undefined> {
    const { ownership, has, key } = this.options;
    if (!has(cluster) || this.#asks(request)) return undefined;
    const owner = ownership.otherOwnerOf(cluster);
    const url = owner && peerUrl(owner, key);
    return url ? this.#send(url, request) : undefined;
  }

  /**
   * Returns the answer of the first poller that has the content. Returns undefined if none has it, or another
   * poller asks.
   *
   * @throws PeerUnreachable if a poller that may have it does not answer
   */
  async withContent(request: AdmittedRequest): Promise<PeerAnswer | undefined> {
    if (this.#asks(request)) return undefined;
    let silent: unknown;
    for (const url of this.#urls()) {
      try {
        const answer = await this.#send(url, request);
        if (answer.status === 200) {
          this.#had = url;
          return answer;
        }
        answer.body.destroy();
        if (answer.status !== 404) silent ??= new PeerUnreachable(url, `HTTP status ${answer.status}`);
      } catch (error) {
        silent ??= error;
      }
    }
    if (silent !== undefined) throw silent;
    return undefined;
  }

  #asks({ headers, path }: AdmittedRequest): boolean {
    return isFromPeer(this.options.key, path, headers.authorization);
  }

  #urls(): readonly string[] {
    const { ownership, key } = this.options;
    const urls = ownership.others().flatMap((name) => peerUrl(name, key) ?? []);
    const first = urls.filter((url) => url === this.#had);
    return [...new Set([...first, ...urls])].slice(0, MOST_ASKED);
  }

  #send(url: string, { path, ...request }: AdmittedRequest): Promise<PeerAnswer> {
    return this.options.requests.send(url, { ...request, authorization: peerAuthorization(this.options.key, path) });
  }
}
