import { useEffect, useReducer, useRef } from 'preact/hooks';
import { type AskFailure, lastAnswer, pauseBefore, read, refusalFrom } from './ask.js';
import { signedOut } from './session.js';
import { listen, type StreamEvent } from './stream.js';

/** The answer of one path, kept fresh; the last answer stays while it cannot be read again. */
export type Loaded<T> = Readonly<{
  data: T | undefined;
  /** Reason of the last failure, and the begin of the failures. */
  refusal: AskFailure | undefined;
  failingSince: Date | undefined;
  renew: () => void;
}>;

/** Reads again at most once in this time, however many rows change. */
const GATHER = 2_000;

const isFinal = ({ status }: AskFailure): boolean => status === 404 || status === 403 || status === 400;

class Reader<T> {
  data: T | undefined;
  refusal: AskFailure | undefined;
  failingSince: Date | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;
  private ended = new AbortController();

  constructor(
    private readonly path: string,
    private readonly changed: () => void,
  ) {
    this.data = lastAnswer(path) as T | undefined;
  }

  readonly renew = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    void this.load();
  };

  /** After a change in the fleet. */
  renewSoon(): void {
    this.timer ??= setTimeout(this.renew, GATHER);
  }

  end(): void {
    clearTimeout(this.timer);
    this.ended.abort();
  }

  private async load(): Promise<void> {
    try {
      const data = await read<T>(this.path, this.ended.signal);
      if (this.ended.signal.aborted) return;
      this.data = data;
      this.refusal = undefined;
      this.failingSince = undefined;
      this.tries = 0;
    } catch (error) {
      if (this.ended.signal.aborted || signedOut.value) return;
      this.refusal = refusalFrom(error);
      // Missing objects are not requested again automatically.
      if (isFinal(this.refusal)) this.failingSince = undefined;
      else {
        this.failingSince ??= new Date();
        this.timer = setTimeout(this.renew, pauseBefore(this.tries++));
      }
    }
    this.changed();
  }
}

/** `watches`: whether an event of the stream can change the answer; by default every one. */
export function useLoaded<T>(
  path: string | undefined,
  watches: (event: StreamEvent) => boolean = () => true,
): Loaded<T> {
  const [, force] = useReducer((count: number) => count + 1, 0);
  const reader = useRef<Readonly<{ path: string; of: Reader<T> }> | undefined>(undefined);
  if (path !== undefined && reader.current?.path !== path) {
    reader.current?.of.end();
    reader.current = { path, of: new Reader<T>(path, () => force(undefined)) };
  }
  useEffect(() => {
    const current = reader.current?.of;
    if (path === undefined || current === undefined) return;
    current.renew();
    const forget = listen((event) => {
      if (event.event === 'woken') current.renew();
      else if (event.event !== 'action' && watches(event)) current.renewSoon();
    });
    const visible = () => document.hidden || current.renewSoon();
    document.addEventListener('visibilitychange', visible);
    return () => {
      document.removeEventListener('visibilitychange', visible);
      forget();
      current.end();
      // Another path has its own reader by now.
      if (reader.current?.of === current) reader.current = undefined;
    };
  }, [path]);
  const one = path === undefined ? undefined : reader.current?.of;
  return {
    data: one?.data,
    refusal: one?.refusal,
    failingSince: one?.failingSince,
    renew: one?.renew ?? (() => undefined),
  };
}

/** Waves open and soak without a change in any cluster. */
export const WAVES_EVERY = 5_000;

/** Reads again by itself: for answers that change without a row of a cluster. */
export function useRenewed({ renew }: Loaded<unknown>, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || renew(), everyMs);
    return () => clearInterval(timer);
  }, [renew, everyMs]);
}

const MINUTE = 60_000;

/** An answer about the past: it is read again every minute, however many rows change. */
export function useMinutely<T>(path: string | undefined): Loaded<T> {
  const answer = useLoaded<T>(path, ({ event }) => event === 'reset');
  useRenewed(answer, MINUTE);
  return answer;
}
