import { createHash } from 'node:crypto';
import { ContentIcon } from '#core/fleet/catalog-pages/catalog-answers';
import { iconType } from '#core/fleet/catalog-pages/icon-type';
import type { QuestionTurns } from '../questions/question-turns.js';
import type { ApiReply } from '../serve/route-runner.js';
import type { LiveRows } from '../view/live-rows.js';
import { askCatalog, catalogsWith } from './ask-catalog.js';

/** Bytes of icons that are kept. */
const MOST_BYTES = 16 * 1024 * 1024;
const AT_ONCE = 4;
/** Icons that may wait for their turn; a page shows 200. */
const MOST_WAITING = 400;

type Icon = Readonly<{ bytes: Buffer; type: string }>;

const headers = (type: string) => ({
  'content-type': type,
  'cache-control': 'private, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
});

/**
 * Icons of packages, by content, package and SHA-256 of their bytes. Images carry no sign-in: no stranger
 * guesses the address, and an icon of another content is never given.
 */
export class Icons {
  /** In the order of their last use. */
  readonly #kept = new Map<string, Icon>();
  #bytes = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly view: LiveRows,
    private readonly questions: Pick<QuestionTurns, 'ask'>,
  ) {}

  /** Undefined: there is no such icon, or it cannot be had now. */
  async reply(id: string, name: string, hash: string): Promise<ApiReply | undefined> {
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    const icon = this.#find(hash) ?? (await this.#inTurn(() => this.#read(id, name, hash)));
    return icon && { status: 200, headers: headers(icon.type), body: icon.bytes };
  }

  #find(hash: string): Icon | undefined {
    const icon = this.#kept.get(hash);
    if (icon === undefined) return undefined;
    this.#kept.delete(hash);
    this.#kept.set(hash, icon);
    return icon;
  }

  async #inTurn(read: () => Promise<Icon | undefined>): Promise<Icon | undefined> {
    if (this.#waiting.length >= MOST_WAITING) return undefined;
    if (this.#running >= AT_ONCE) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
    try {
      return await read();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #read(id: string, name: string, hash: string): Promise<Icon | undefined> {
    const known = this.#find(hash);
    const held = known === undefined ? catalogsWith(this.view.rows, id) : [];
    if (known !== undefined || held.length === 0) return known;
    const answer = await askCatalog(held, this.questions, { ask: 'icon', package: name }).catch(() => undefined);
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
