import http2 from 'node:http2';
import type net from 'node:net';
import { Http2Lane } from './http2-lane.js';
import { TransportError } from './transport.error.js';
import type { Exchange, Wire, WireRequest } from './wire.js';

type Http2Options = Readonly<{ pingIntervalMs: number; pingTimeoutMs: number; maxSessions: number }>;

/**
 * One HTTP/2 session, and a further one only when the server's limit of concurrent streams is reached. When
 * the last session ends, the wire is no longer usable and the transport negotiates again.
 */
export class Http2Wire implements Wire {
  readonly protocol = 'h2';
  readonly #lanes = new Set<Http2Lane>();
  readonly #waiting: Array<() => void> = [];
  #dialling: Promise<void> | undefined;
  #retired = false;

  constructor(
    private readonly authority: string,
    private readonly dial: () => Promise<net.Socket>,
    private readonly options: Http2Options,
    first: net.Socket,
  ) {
    this.#add(first);
  }

  usable(): boolean {
    return !this.#retired && [...this.#lanes].some((lane) => lane.open);
  }

  async send(request: WireRequest): Promise<Exchange> {
    const lane = await this.#freeLane(request.signal);
    return lane.send(request);
  }

  retire(): void {
    this.#retired = true;
    for (const lane of this.#lanes) lane.retire();
    this.#wake();
  }

  destroy(): void {
    this.#retired = true;
    for (const lane of this.#lanes) lane.destroy();
    this.#wake();
  }

  async #freeLane(signal: AbortSignal): Promise<Http2Lane> {
    for (;;) {
      signal.throwIfAborted();
      if (!this.usable()) throw new TransportError('not-processed', 'the connection was closed before the request');
      const free = [...this.#lanes].find((lane) => lane.open && lane.free > 0);
      if (free !== undefined) return free;
      const opening = [...this.#lanes].some((lane) => lane.opening);
      if (!opening && this.#lanes.size < this.options.maxSessions) await this.#widen();
      else await this.#turn(signal);
    }
  }

  /** One further session, asked for once however many requests wait for it. */
  #widen(): Promise<void> {
    this.#dialling ??= this.dial()
      .then((socket) => this.#add(socket))
      .finally(() => {
        this.#dialling = undefined;
      });
    return this.#dialling;
  }

  #add(socket: net.Socket): void {
    const session = http2.connect(this.authority, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: 64,
    });
    const lane = new Http2Lane(session, socket, this.options, {
      onOpen: () => this.#wake(),
      onRoom: () => this.#wake(1),
      onEnd: () => {
        this.#lanes.delete(lane);
        this.#wake();
      },
    });
    this.#lanes.add(lane);
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      // One that waits no more must not be woken in the place of one that does.
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(go);
    });
  }

  #wake(count = this.#waiting.length): void {
    for (const go of this.#waiting.splice(0, count)) go();
  }
}

/** 64 KiB, the default, would make a big list on a far cluster wait a round trip per 64 KiB. */
const STREAM_WINDOW = 1024 * 1024;
