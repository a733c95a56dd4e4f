import { createHash } from 'node:crypto';
import { ContentIcon } from '#core/view/catalog-pages/catalog-answers';
import { iconType } from '#core/view/catalog-pages/icon-type';
import { Demand } from '#platform/fairness/demand';
import { FairLimiter } from '#platform/fairness/fair-limiter';
import type { ApiReply } from '../api/api-reply.js';
import type { Ask } from '../questions/question-turns.js';
import type { LiveRows } from '../rows/live-rows.js';
import { askCatalog, catalogsWith } from './ask-catalog.js';
import type { IconAddress } from './icon-addresses.js';

/** Bytes of icons that are kept. */
const MOST_BYTES = 16 * 1024 * 1024;
const AT_ONCE = 4;
/** Icons of one client that may wait for their turn; a page shows 200. */
const MOST_WAITING = 400;
/** Most clients with waiting icons. */
const MOST_CLIENTS = 1_000;

type Icon = Readonly<{ bytes: Buffer; type: string }>;

const headers = (type: string) => ({
  'content-type': type,
  'cache-control': 'private, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
});

/**
 * Icons of packages, by content, package and SHA-256 of their bytes. The client may see the content; an icon
 * of another content is never given. Clients take turns.
 */
export class Icons {
  /** In the order of their last use. */
  readonly #kept = new Map<string, Icon>();
  #bytes = 0;
  readonly #reading = new Map<string, Promise<Icon | undefined>>();
  readonly #turns = new FairLimiter({ total: AT_ONCE, perCluster: AT_ONCE, perNamespace: AT_ONCE });
  readonly #waiting = new Map<string, number>();

  constructor(
    private readonly view: LiveRows,
    private readonly questions: Readonly<{ ask: Ask }>,
  ) {}

  /** Undefined: there is no such icon, or it cannot be had now. */
  async reply(address: IconAddress, client: string): Promise<ApiReply | undefined> {
    if (!/^[0-9a-f]{64}$/.test(address.hash)) return undefined;
    const icon = this.#find(address.hash) ?? (await this.#readOnce(address, client));
    return icon && { status: 200, headers: headers(icon.type), body: icon.bytes };
  }

  #find(hash: string): Icon | undefined {
    const icon = this.#kept.get(hash);
    if (icon === undefined) return undefined;
    this.#kept.delete(hash);
    this.#kept.set(hash, icon);
    return icon;
  }

  /** Equal requests at the same time are one. */
  #readOnce(address: IconAddress, client: string): Promise<Icon | undefined> {
    const key = JSON.stringify(address);
    const reading = this.#reading.get(key) ?? this.#inTurn(address, client).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #inTurn(address: IconAddress, client: string): Promise<Icon | undefined> {
    const waiting = this.#waiting.get(client) ?? 0;
    if (waiting >= MOST_WAITING || this.#waiting.size >= MOST_CLIENTS) return undefined;
    this.#waiting.set(client, waiting + 1);
    try {
      return await this.#turns.run(Demand.of({ cluster: '', namespace: client }), () => this.#read(address));
    } finally {
      const left = (this.#waiting.get(client) ?? 1) - 1;
      if (left > 0) this.#waiting.set(client, left);
      else this.#waiting.delete(client);
    }
  }

  async #read({ id, name, hash }: IconAddress): Promise<Icon | undefined> {
    const known = this.#find(hash);
    const held = known === undefined ? catalogsWith(this.view.rows, id) : [];
    if (known !== undefined || held.length === 0) return known;
    const answer = await askCatalog(held, this.questions.ask, { ask: 'icon', package: name, hash }).catch(
      () => undefined,
    );
    const found = ContentIcon.safeParse(answer).data;
    const bytes = Buffer.from(found?.base64 ?? '', 'base64');
    const type = iconType(bytes);
    if (type === undefined || createHash('sha256').update(bytes).digest('hex') !== hash) return undefined;
    return this.#keep(hash, { bytes, type });
  }

  #keep(hash: string, icon: Icon): Icon {
    this.#kept.set(hash, icon);
    this.#bytes += icon.bytes.length;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
    return icon;
  }
}
