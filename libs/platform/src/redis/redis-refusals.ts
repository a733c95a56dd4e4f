/** First words of errors that Redis returns for a command it would carry out at another time. */
const REFUSALS: readonly string[] = [
  ...[
    'BUSY',
    'CLUSTERDOWN',
    'CROSSSLOT',
    'LOADING',
    'MASTERDOWN',
    'MISCONF',
    'MOVED',
    'NOAUTH',
    'NOPERM',
    'NOREPLICAS',
    'OOM',
  ],
  ...['READONLY', 'WRONGPASS'],
];
/** Refusals of writes: the value is not in Redis. */
const OF_WRITES: ReadonlySet<string> = new Set(['MISCONF', 'NOREPLICAS', 'OOM', 'READONLY']);

/** Also matches an error of a script: older versions write a text of their own before it. */
const FIRST_WORD = /^(?:ERR Error running script.*?|-)?([A-Z]+)\b/;

/** Counts the commands that Redis has refused on the connections of a process. */
export class RedisRefusals {
  readonly #counts = new Map<string, number>(REFUSALS.map((word) => [word, 0]));
  #ofWrites = 0;

  /** Takes any error of any command. */
  note(error: unknown): void {
    if (!(error instanceof Error)) return;
    const word = FIRST_WORD.exec(error.message)?.[1] ?? '';
    const count = this.#counts.get(word);
    if (count === undefined) return;
    this.#counts.set(word, count + 1);
    if (OF_WRITES.has(word)) this.#ofWrites += 1;
  }

  /** Counts by first word of the error; those that never happened count 0. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** How many writes were refused, by a Redis that is full, a replica, or one that cannot save. */
  get ofWrites(): number {
    return this.#ofWrites;
  }
}
