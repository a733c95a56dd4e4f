import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type Saying, sayingOf } from './state-texts.js';

/** One line of the story: time (seconds since the start), place, object and event. */
type Moment = Readonly<{ seconds: number; where: string } & Saying>;

/** Columns that everything but a very long name fits in. */
const ABOUT_WIDTH = 40;
const WHERE_WIDTH = 8;

/** Collects the events and prints each at once. */
export class Timeline {
  readonly moments: Moment[] = [];
  readonly #start = performance.now();
  readonly #logged = new Set<string>();
  readonly #awaited = new Map<string, string>();
  #whereWidth = WHERE_WIDTH;

  /** `progress` gets the awaited object. */
  constructor(
    private readonly print: (line: string) => void,
    private readonly progress: ((text: string | undefined) => void) | undefined = undefined,
  ) {}

  get seconds(): number {
    return (performance.now() - this.#start) / 1_000;
  }

  /** Prints the head of the table; `places` are the later values of the second column. */
  open(places: readonly string[]): void {
    this.#whereWidth = Math.max(WHERE_WIDTH, ...places.map(({ length }) => length));
    this.print(this.#line('AFTER', 'WHERE', 'WHAT', ''));
  }

  log(where: string, about: string, what: string): void {
    const moment = { seconds: this.seconds, where, about, what };
    this.moments.push(moment);
    this.print(this.#line(`${moment.seconds.toFixed(1)} s`, where, about, what));
  }

  /** Prints the state of an object, once per distinct state. */
  notice(where: string, object: KubernetesObject): void {
    const saying = sayingOf(object);
    if (saying === undefined) return;
    const key = `${where} ${saying.about} ${saying.what}`;
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    this.log(where, saying.about, saying.what);
  }

  /** Shows the object that a place waits for; undefined: for none. */
  waitFor(where: string, awaited: string | undefined): void {
    if (awaited === undefined) this.#awaited.delete(where);
    else this.#awaited.set(where, awaited);
    const [first, ...others] = this.#awaited;
    const more = others.length === 0 ? '' : ` and ${others.map(([place]) => place).join(', ')}`;
    this.progress?.(first && `waiting for ${first[0]}${more}: ${first[1]}`);
  }

  /** Returns the time of the last printed line about this place, such as `8.3 s`. */
  lastMoment(where: string): string {
    const last = this.moments.findLast((moment) => moment.where === where);
    return last === undefined ? '-' : `${last.seconds.toFixed(1)} s`;
  }

  #line(when: string, where: string, about: string, what: string): string {
    const columns = [when.padStart(7), where.padEnd(this.#whereWidth), about.padEnd(ABOUT_WIDTH), what];
    return `${columns.join('  ').trimEnd()}\n`;
  }
}
