import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Clock } from '#platform/clock/clock.port';
import type { LiveRows, RowStep, ViewNews } from '../rows/live-rows.js';
import { labelsIn } from '../rows/visible-rows.js';
import type { Person } from '../sign-in/person.js';
import { frameOf } from './row-frames.js';

const GATHER_MS = 500;
const HEARTBEAT_MS = 15_000;
const MOST_UNREAD_BYTES = 1_048_576;
/** Most steps kept for all clients: a client that comes back may have missed them. */
const MOST_KEPT_STEPS = 50_000;
const MOST_STREAMS = 2_000;
const MOST_OF_A_SESSION = 4;

type Batch = Readonly<{ id: number; steps: readonly RowStep[] }>;
/** `current`: the present owner of the session; undefined if the session has ended. */
type Client = Readonly<{
  person: Person;
  response: ServerResponse;
  current?: () => Promise<Person | undefined>;
}>;

/**
 * Sends every browser the changes, gathered for half a second. A client that comes back names its last event,
 * and gets the events that it missed; `reset` if they are no longer known.
 */
export class EventStream {
  /** Numbers of batches mean nothing to another console, nor to this one after a restart. */
  readonly #name = randomUUID();
  readonly #clients = new Set<Client>();
  readonly #batches: Batch[] = [];
  #kept = 0;
  #pending: RowStep[] = [];
  #last = 0;
  #generation = 0;
  #cancel: (() => void) | undefined;
  readonly #ends: (() => void)[];

  constructor(
    private readonly view: LiveRows,
    private readonly clock: Clock,
  ) {
    this.#ends = [view.follow((news) => this.#note(news))];
    this.#beat();
  }

  get size(): number {
    return this.#clients.size;
  }

  /** The id of a stream that begins now. */
  get place(): string {
    return this.#id();
  }

  /** True if one more stream may be opened for the session. */
  hasRoom({ session }: Person): boolean {
    const own = this.#clients.values().filter(({ person }) => person.session === session);
    return this.#clients.size < MOST_STREAMS && own.toArray().length < MOST_OF_A_SESSION;
  }

  /** Answers with a stream that lasts until one of both ends it. */
  open(client: Client, lastEventId: string | undefined, headers: Readonly<Record<string, string>>): void {
    const { response } = client;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.write(': connected\n\n');
    this.#clients.add(client);
    response.once('close', () => this.#clients.delete(client));
    if (lastEventId !== undefined) this.#resume(client, lastEventId);
    else send(client, this.#place());
  }

  /** Sends to sessions of one person, such as the results of an action. */
  tell(event: string, data: unknown, isFor: (person: Person) => boolean): void {
    for (const client of this.#clients)
      if (isFor(client.person)) send(client, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  close(): void {
    this.#cancel?.();
    for (const end of this.#ends) end();
    for (const { response } of this.#clients) response.end();
  }

  /** The place that a returning client continues from. Readers accept an id only as part of an event. */
  #place(): string {
    return `id: ${this.#id()}\nevent: place\ndata: {}\n\n`;
  }

  #id(last: number = this.#last): string {
    return `${this.#name}-${this.#generation}.${last}`;
  }

  #resume(client: Client, lastEventId: string): void {
    const [, stream, place] = /^(.{1,200})\.(\d{1,15})$/.exec(lastEventId) ?? [];
    const first = this.#batches[0]?.id ?? this.#last + 1;
    const isOurs = stream === `${this.#name}-${this.#generation}`;
    const known = isOurs && Number(place) >= first - 1 && Number(place) <= this.#last;
    if (!known) {
      send(client, `id: ${this.#id()}\nevent: reset\ndata: {}\n\n`);
      return;
    }
    const missed = this.#batches.filter(({ id }) => id > Number(place)).flatMap(({ steps }) => steps);
    send(client, this.#textOf(client.person.rights, missed));
  }

  #note(news: ViewNews): void {
    if ('reset' in news) {
      this.#pending = [];
      this.#batches.length = 0;
      this.#kept = 0;
      this.#generation += 1;
      for (const client of this.#clients) send(client, `id: ${this.#id()}\nevent: reset\ndata: {}\n\n`);
      return;
    }
    if ('filling' in news) {
      for (const client of this.#clients) send(client, 'event: more\ndata: {}\n\n');
      return;
    }
    if (this.#pending.length === 0) this.#ends.push(this.clock.after(GATHER_MS, () => this.#flush()));
    this.#pending.push(...news.steps);
  }

  #flush(): void {
    this.#ends.length = 1;
    if (this.#pending.length === 0) return;
    this.#last += 1;
    const steps = this.#pending;
    this.#pending = [];
    this.#batches.push({ id: this.#last, steps });
    this.#kept += steps.length;
    while (this.#kept > MOST_KEPT_STEPS && this.#batches.length > 1)
      this.#kept -= this.#batches.shift()?.steps.length ?? 0;
    // People with equal rights get the same text, made once.
    const texts = new Map<string, string>();
    for (const client of this.#clients) {
      const { rights } = client.person;
      const text = texts.get(rights.key) ?? this.#textOf(rights, steps);
      texts.set(rights.key, text);
      send(client, text);
    }
  }

  #textOf(rights: Person['rights'], steps: readonly RowStep[]): string {
    const labels = labelsIn(this.view);
    const frame = frameOf(steps, (row) => rights.unbounded || rights.sees(row, labels));
    const id = `id: ${this.#id()}\n`;
    if (frame === undefined) return this.#place();
    if (frame === 'more') return `${id}event: more\ndata: {}\n\n`;
    if (rights.unbounded || !frame.changed.some((row) => row['kind'] === 'cluster'))
      return `${id}event: rows\ndata: ${JSON.stringify(frame)}\n\n`;
    // Sums of a cluster that is seen in part are made anew when they are read.
    return `${id}event: more\ndata: {}\n\n`;
  }

  #beat(): void {
    this.#cancel = this.clock.after(HEARTBEAT_MS, () => {
      for (const client of this.#clients) {
        send(client, ': \n\n');
        void endWhereOver(client);
      }
      this.#beat();
    });
  }
}

/**
 * Ends a stream if the rights have changed. The client comes back, and is refused if it may not read any
 * more.
 */
async function endWhereOver({ person, current, response }: Client): Promise<void> {
  if (current === undefined) return;
  const now = await current().catch(() => person);
  if (now?.rights.key !== person.rights.key) response.end();
}

/** A client that does not read is left: it comes back when it can. */
function send({ response }: Client, text: string): void {
  if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
  else response.write(text);
}
