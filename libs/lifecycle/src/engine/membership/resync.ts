import { nextResyncMs } from '#core/cluster/observation/resync-time';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Clock } from '#platform/clock/clock.port';
import type { Timers } from '#platform/clock/timers';

/** A part of a cluster that is checked again by itself, such as one namespace. */
export type ResyncItem = Readonly<{
  /** Within its cluster, always the same. */
  name: string;
  /** Starts the check. Returns at once and never throws: the check continues by itself. */
  run: () => void;
}>;

type ResyncOptions = Readonly<{
  cluster: string;
  /** Each item is checked once in this time. */
  periodMs: number;
  /** All that the cluster has at this moment. */
  items: () => readonly ResyncItem[];
  clock: Clock;
  /** The timers of the cluster. They end when it leaves. */
  timers: Timers;
}>;

type Due = Readonly<{ item: ResyncItem; atMs: number }>;

/** Windows of a period. Items that are due in a window are looked up at its beginning. */
const WINDOWS = 12;

/**
 * Checks everything of a cluster again once in a period, changed or not. Each item has its own time, so that
 * the work of a fleet is spread evenly. Between two items it does nothing and holds next to nothing. An item
 * that appears in the middle of a window is checked from the next window on: new objects are observed anyway.
 */
export class Resync {
  constructor(private readonly options: ResyncOptions) {}

  start(): void {
    this.#window(this.#nowMs);
  }

  #window(fromMs: number): void {
    const { cluster, periodMs, items } = this.options;
    const windowMs = Math.ceil(periodMs / WINDOWS);
    // The windows of a fleet do not all begin at the same time.
    const nextMs = nextResyncMs(cluster, windowMs, fromMs + 1);
    const due = items()
      .map((item) => ({ item, atMs: nextResyncMs(`${cluster}/${item.name}`, periodMs, fromMs) }))
      .filter(({ atMs }) => atMs < nextMs)
      .toSorted((a, b) => a.atMs - b.atMs || byCodeUnit(a.item.name, b.item.name));
    this.#runFrom(0, due, nextMs);
  }

  #runFrom(index: number, due: readonly Due[], nextMs: number): void {
    const next = due[index];
    const { timers } = this.options;
    if (next === undefined) {
      // A machine that slept for longer continues from now: its watches have listed everything again.
      const { periodMs } = this.options;
      const begin = () => this.#window(this.#nowMs - nextMs > periodMs ? this.#nowMs : nextMs);
      timers.after(nextMs - this.#nowMs, begin);
      return;
    }
    timers.after(next.atMs - this.#nowMs, () => {
      next.item.run();
      this.#runFrom(index + 1, due, nextMs);
    });
  }

  get #nowMs(): number {
    return this.options.clock.now().getTime();
  }
}
