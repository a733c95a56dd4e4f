import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { ByteLedger } from '#core/kernel/fairness/byte-ledger';
import type { Owner } from '#core/kernel/fairness/owner';

/** The images that are unpacked at the same time need more disk than they may have together. */
export class NoRoomForWork extends FlotillaError {
  readonly code = 'NoRoomForWork';
  readonly retry: Retry = 'backoff';
  constructor(bytes: number, limit: number) {
    super(
      `unpacking was cancelled after ${bytes} bytes: all images that are being unpacked may use ${limit} bytes of disk (half of FLOTILLA_CONTENT_MAX_BYTES), and this was the largest. It is retried. If the image alone needs more, raise the setting`,
    );
  }
}

/** The disk that one piece of work may use. */
export type WorkShare = Readonly<{
  /** Aborted with {@link NoRoomForWork} when this work must give way. */
  signal: AbortSignal;
  /** Notes bytes before they are written, or below 0 when they are gone. Throws {@link NoRoomForWork}. */
  take: (bytes: number) => void;
  close: () => void;
}>;

type Held = { bytes: number; readonly end: AbortController };

/** Growth is reported in steps of this size. */
const STEP_BYTES = 16 * 1024 * 1024;

/** Bytes on their way to the content store, bounded together. The owner that holds most gives way. */
export class WorkRoom {
  readonly #ledger: ByteLedger<Held>;
  #noticed = 0;

  constructor(
    private readonly limit: number = Number.POSITIVE_INFINITY,
    /** Called when the work takes noticeably more: other bytes in memory may have to shrink. */
    private readonly onGrown: () => void = () => undefined,
  ) {
    this.#ledger = new ByteLedger(limit);
  }

  /** Bytes of all work together. */
  get bytes(): number {
    return this.#ledger.total;
  }

  open(owner: Owner): WorkShare {
    const held: Held = { bytes: 0, end: new AbortController() };
    this.#ledger.open(held, owner);
    const { signal } = held.end;
    const take = (bytes: number) => {
      signal.throwIfAborted();
      held.bytes += bytes;
      for (const { bytes: had, end } of this.#ledger.add(held, bytes)) end.abort(new NoRoomForWork(had, this.limit));
      this.#notice();
      signal.throwIfAborted();
    };
    return { signal, take, close: () => this.#ledger.close(held) };
  }

  #notice(): void {
    const { bytes } = this;
    if (bytes < this.#noticed) this.#noticed = bytes;
    if (bytes < this.#noticed + STEP_BYTES) return;
    this.#noticed = bytes;
    this.onGrown();
  }
}
