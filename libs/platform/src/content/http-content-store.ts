import { fetchReason } from '../outbound/fetch-reason.js';
import { ContentUnreachable } from './content-errors.js';
import { CONTENT_PATH } from './content-handler.js';
import { ContentStore, type Digest, type OpenContent } from './content-store.port.js';
import { digestOf } from './digest.js';

type HttpContentStoreOptions = Readonly<{
  /** URL at which the peer serves `/content/<digest>`, such as `http://catalog-poller:8080`. */
  baseUrl: string;
  /** Returns the `Authorization` header for a path. Absent if the peer requires none. */
  authorization?: (path: string) => string;
  /** Store that keeps content after a read. */
  cache: ContentStore;
  timeoutMs?: number;
  /** Most bytes of one blob. Default 512 MiB. */
  maxBytes?: number;
}>;

/** Reads through to a peer by digest; trusts nothing but the digest. */
export class HttpContentStore extends ContentStore {
  readonly #inFlight = new Map<Digest, Promise<Uint8Array | undefined>>();

  constructor(private readonly options: HttpContentStoreOptions) {
    super();
  }

  async get(digest: Digest): Promise<Uint8Array | undefined> {
    const held = await this.options.cache.get(digest);
    if (held !== undefined) return held;
    const flying = this.#inFlight.get(digest) ?? this.#fetch(digest).finally(() => this.#inFlight.delete(digest));
    this.#inFlight.set(digest, flying);
    return flying;
  }

  /** Here, not at the peer. */
  holds(digest: Digest): Promise<boolean> {
    return this.options.cache.holds(digest);
  }

  put(bytes: Uint8Array): Promise<Digest> {
    return this.options.cache.put(bytes);
  }

  putFile(path: string): Promise<Digest> {
    return this.options.cache.putFile(path);
  }

  async open(digest: Digest): Promise<OpenContent | undefined> {
    const held = await this.options.cache.open(digest);
    if (held !== undefined) return held;
    return (await this.get(digest)) === undefined ? undefined : this.options.cache.open(digest);
  }

  async #fetch(digest: Digest): Promise<Uint8Array | undefined> {
    const { baseUrl, timeoutMs = 30_000, cache, authorization } = this.options;
    const path = `${CONTENT_PATH}${digest}`;
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
    const headers = authorization === undefined ? {} : { authorization: authorization(path) };
    const failed = (because: string) => new ContentUnreachable(digest, baseUrl, because);
    let bytes: Uint8Array | undefined;
    try {
      const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      if (response.status === 404) return undefined;
      if (!response.ok) throw failed(`HTTP status ${response.status}`);
      bytes = await this.#read(response, failed);
    } catch (error) {
      throw error instanceof ContentUnreachable ? error : failed(fetchReason(error));
    }
    if (digestOf(bytes) !== digest) throw failed('the bytes do not have that digest');
    await cache.put(bytes);
    return bytes;
  }

  async #read(response: Response, failed: (because: string) => ContentUnreachable): Promise<Uint8Array> {
    const { maxBytes = 512 * 2 ** 20 } = this.options;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) throw failed(`it is larger than the limit of ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}
