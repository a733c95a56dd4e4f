import { type AskFailure, lastAnswer, pauseBefore, read, refusalFrom } from './ask.js';
import { signedOut } from './session.js';
import type { StreamEvent } from './stream.js';

/** Rows of one answer. */
const WINDOW = 200;
const GATHER = 2_000;

type Answer<R> = Readonly<{
  items: R[];
  total: number;
  asOf: string;
  facets?: Readonly<Record<string, readonly Readonly<{ value: string; count: number }>[]>> | undefined;
}>;

const addressOf = (row: unknown): string => {
  const { cluster = '', id = '' } = row as { cluster?: string; id?: string };
  return id === '' ? '' : `${cluster}\0${id}`;
};

/**
 * A list that is read window by window. A shown row changes in place; order and membership are renewed when
 * `held` is false, otherwise the number of changes is counted.
 */
export class Windows<R> {
  total: number | undefined;
  asOf = '';
  facets: Answer<R>['facets'];
  refusal: AskFailure | undefined;
  failingSince: Date | undefined;
  /** Changes that are not shown yet. */
  waiting = 0;
  held = false;
  private items = new Map<number, R[]>();
  /** Windows that are on their way. */
  private readonly asked = new Set<number>();
  /** Those of them that are asked for once more: something changed since. */
  private readonly outdated = new Set<number>();
  private places = new Map<string, readonly [window: number, at: number]>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Something changed while the next renewal was already due: counts of then may be two seconds older. */
  private again = false;
  private tries = 0;
  private readonly ended = new AbortController();
  private shown: readonly [first: number, last: number] = [0, 0];

  constructor(
    /** Path and query, without offset and limit. */
    readonly path: string,
    private readonly changed: () => void,
  ) {
    const before = lastAnswer(this.pathOf(0)) as Answer<R> | undefined;
    if (before !== undefined) this.take(0, before);
  }

  row(index: number): R | undefined {
    return this.items.get(Math.floor(index / WINDOW))?.[index % WINDOW];
  }

  /** Reads the visible rows that are still missing. */
  show(first: number, last: number): void {
    this.shown = [first, last];
    for (const window of this.windowsInSight()) if (!this.items.has(window)) void this.load(window);
  }

  readonly renew = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = 0;
    const inSight = this.windowsInSight();
    for (const window of this.items.keys()) if (!inSight.includes(window)) this.items.delete(window);
    for (const window of inSight) {
      if (this.asked.has(window)) this.outdated.add(window);
      else void this.load(window);
    }
    if (this.again) this.timer = setTimeout(this.renew, GATHER);
    this.again = false;
  };

  receive(event: StreamEvent): void {
    if (event.event === 'action') return;
    if (event.event === 'woken' && !this.held) {
      this.renew();
      return;
    }
    let count = 1;
    if (event.event === 'rows') {
      count = event.data.changed.length + event.data.removed.length;
      const patched = event.data.changed.filter((row) => this.patch(row as R)).length;
      if (patched > 0) this.changed();
    }
    if (this.held) {
      this.waiting += count;
      this.changed();
    } else if (this.timer === undefined) this.timer = setTimeout(this.renew, GATHER);
    else this.again = true;
  }

  end(): void {
    clearTimeout(this.timer);
    this.ended.abort();
  }

  private patch(row: R): boolean {
    const place = this.places.get(addressOf(row));
    const window = place && this.items.get(place[0]);
    if (place === undefined || window === undefined) return false;
    window[place[1]] = row;
    return true;
  }

  private windowsInSight(): number[] {
    const [first, last] = this.shown.map((row) => Math.floor(row / WINDOW)) as [number, number];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  private pathOf(window: number): string {
    const joint = this.path.includes('?') ? '&' : '?';
    return `${this.path}${joint}offset=${window * WINDOW}&limit=${WINDOW}`;
  }

  private take(window: number, answer: Answer<R>): void {
    this.total = answer.total;
    this.asOf = answer.asOf;
    this.facets = answer.facets ?? this.facets;
    this.items.set(window, [...answer.items]);
    for (const [at, row] of answer.items.entries()) {
      const address = addressOf(row);
      if (address !== '') this.places.set(address, [window, at]);
    }
  }

  private async load(window: number): Promise<void> {
    if (this.asked.has(window)) return;
    this.asked.add(window);
    try {
      const answer = await read<Answer<R>>(this.pathOf(window), this.ended.signal);
      if (this.ended.signal.aborted) return;
      this.take(window, answer);
      this.refusal = undefined;
      this.failingSince = undefined;
      this.tries = 0;
    } catch (error) {
      if (this.ended.signal.aborted || signedOut.value) return;
      this.refusal = refusalFrom(error);
      this.failingSince ??= new Date();
      this.timer ??= setTimeout(this.renew, pauseBefore(this.tries++));
    } finally {
      this.asked.delete(window);
    }
    this.changed();
    if (this.outdated.delete(window)) void this.load(window);
  }
}
