import { signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import type { ActionAnswer, StreamRows } from '../../src/api/actions.schema.js';
import { pauseBefore, placeOfFirstAnswer } from './ask.js';
import { credentials, signedOut } from './session.js';
import { onWake } from './wake.js';

/** A report of the hub, to every tab of the browser. */
export type StreamEvent =
  | Readonly<{ event: 'rows'; data: StreamRows }>
  | Readonly<{ event: 'action'; data: ActionAnswer }>
  | Readonly<{ event: 'more' | 'reset' }>
  /** The computer slept: the page may be old. Not sent by the hub. */
  | Readonly<{ event: 'woken' }>;

export const live = signal<'connecting' | 'live' | 'broken'>('connecting');

/** The begin of the time without a stream, and the time of the next try, both in milliseconds. */
export type Interruption = Readonly<{ since: number; nextTry: number }>;
export const interruption = signal<Interruption | undefined>(undefined);

const LOCK = 'flotilla-stream';
const SILENCE = 45_000;

type Listener = (event: StreamEvent) => void;
const listeners = new Set<Listener>();

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

type Message = Readonly<{ id: string; state: typeof live.value; event?: StreamEvent; away?: Interruption | undefined }>;
const channel = new BroadcastChannel(LOCK);
/** The last event, from which a tab that takes the stream over continues. */
let lastId = '';
/** True if a stream was read before; without an id, the events since then are unknown. */
let hasFollowed = false;

function receive({ id, state, event, away }: Message): void {
  if (id !== '') lastId = id;
  live.value = state;
  interruption.value = away;
  if (event !== undefined) for (const listener of listeners) listener(event);
}

function share(message: Message): void {
  receive(message);
  channel.postMessage(message);
}

function eventOf(name: string | undefined, data: string): StreamEvent | undefined {
  if (name === 'more' || name === 'reset') return { event: name };
  if (name !== 'rows' && name !== 'action') return undefined;
  return { event: name, data: JSON.parse(data) } as StreamEvent;
}

/** True if changes between the first answer of the page and the begin of its stream are in neither. */
const isLateAt = (place = ''): boolean => placeOfFirstAnswer() !== '' && placeOfFirstAnswer() !== place;

/** The reason to give up a stream, or a pause before the next one, after a sleep; and its controller. */
const SLEPT = 'slept';
let sleeper: AbortController | undefined;

/** Reads one stream to its end; how it ended. */
async function follow(stop: AbortSignal): Promise<'ended' | 'refused' | 'slept'> {
  const silent = new AbortController();
  sleeper = silent;
  let timer = setTimeout(() => silent.abort(), SILENCE);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENCE);
  };
  try {
    const isBlind = hasFollowed && lastId === '';
    let isBegin = lastId === '';
    const headers = { ...credentials(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
    const response = await fetch('/api/v1/events', { headers, signal: AbortSignal.any([silent.signal, stop]) });
    if (response.status === 401) return 'refused';
    if (!response.ok || response.body === null) return 'ended';
    hasFollowed = true;
    share({ id: '', state: 'live', ...(isBlind && { event: { event: 'reset' } }) });
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        const found = eventOf(event, data) ?? (isBegin && isLateAt(id) ? { event: 'reset' } : undefined);
        isBegin = false;
        share({ id: id ?? '', state: 'live', ...(found && { event: found }) });
      },
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard();
      parser.feed(part.value);
    }
    return 'ended';
  } catch {
    return silent.signal.reason === SLEPT ? 'slept' : 'ended';
  } finally {
    clearTimeout(timer);
  }
}

const pause = (time: number, stop: AbortSignal): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, time);
    stop.addEventListener('abort', () => done(), { once: true });
  });

async function followAlways(stop: AbortSignal): Promise<void> {
  let tries = 0;
  while (!stop.aborted && !signedOut.value) {
    const since = Date.now();
    const end = await follow(stop);
    if (stop.aborted) return;
    tries = Date.now() - since > 60_000 ? 0 : tries + 1;
    const wait = end === 'slept' ? 0 : pauseBefore(tries);
    const now = Date.now();
    share({ id: '', state: 'broken', away: { since: interruption.value?.since ?? now, nextTry: now + wait } });
    if (end === 'refused') {
      signedOut.value = true;
      return;
    }
    if (wait === 0) continue;
    sleeper = new AbortController();
    await pause(wait, AbortSignal.any([stop, sleeper.signal]));
  }
}

/** Without locks a hidden tab gives its stream up, so that tabs do not use up the connections. */
function followWhileVisible(): void {
  let stop: AbortController | undefined;
  const change = () => {
    stop?.abort();
    stop = undefined;
    if (document.hidden) return;
    stop = new AbortController();
    void followAlways(stop.signal);
  };
  document.addEventListener('visibilitychange', change);
  change();
}

/** Ends the pause before the next try, in the tab that reads the stream. */
export function retryStream(): void {
  sleeper?.abort(SLEPT);
  channel.postMessage('retry');
}

/** One tab of the browser reads the stream, and hands it to the others. */
export function startStream(): void {
  channel.onmessage = ({ data }: MessageEvent<Message | 'state' | 'retry'>) => {
    if (data === 'retry') sleeper?.abort(SLEPT);
    else if (data !== 'state') receive(data);
    else if (leads) channel.postMessage({ id: lastId, state: live.value, away: interruption.value } satisfies Message);
  };
  let leads = false;
  onWake(() => {
    sleeper?.abort(SLEPT);
    for (const listener of listeners) listener({ event: 'woken' });
  });
  if (!('locks' in navigator)) {
    followWhileVisible();
    return;
  }
  channel.postMessage('state');
  let stop = new AbortController();
  const lead = () =>
    navigator.locks.request(LOCK, { signal: stop.signal }, async () => {
      leads = true;
      await followAlways(stop.signal);
      leads = false;
    });
  const wait = () => void lead().catch(() => undefined);
  // A browser may keep a page that is left, with its connections: six of them and no page loads any more.
  addEventListener('pagehide', () => stop.abort());
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    stop = new AbortController();
    wait();
  });
  wait();
}
