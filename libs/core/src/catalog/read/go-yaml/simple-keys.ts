import type { Mark, YamlCursor } from './yaml-cursor.js';

/** A token that is the key of a mapping if a colon follows. */
type SimpleKey = {
  /** False once the token can no longer be a key. */
  isPossible: boolean;
  /** True in the column of a block mapping: only a key may stand there. */
  readonly isRequired: boolean;
  /** How many tokens of the stream are before it. */
  readonly number: number;
  readonly mark: Mark;
};

/** Most characters between the start of a key without `?` and its colon. */
const MAX_LENGTH = 1024;

/** Keys without `?` that a scanner has seen and that may still get a colon, one for each flow collection. */
export class SimpleKeys {
  /** True if a key may begin at the current place. */
  isAllowed = true;
  readonly #levels: (SimpleKey | undefined)[] = [undefined];
  /** The index in `#levels` by number of the token. An entry may be out of date, as in go-yaml. */
  readonly #levelOf = new Map<number, number>();

  constructor(private readonly cursor: YamlCursor) {}

  /** Takes the current place as the start of a key if one is allowed there. */
  save(number: number, isRequired: boolean): void {
    if (!this.isAllowed) return;
    this.remove();
    const level = this.#levels.length - 1;
    this.#levels[level] = { isPossible: true, isRequired, number, mark: this.cursor.mark };
    this.#levelOf.set(number, level);
  }

  /** Drops the key of the current level. Throws YamlError if it is required. */
  remove(): void {
    const key = this.#levels.at(-1);
    if (!key?.isPossible) return;
    if (key.isRequired) this.cursor.fail("could not find expected ':'");
    key.isPossible = false;
    this.#levelOf.delete(key.number);
  }

  /** Returns the key of the current level. The current character is its colon. */
  take(): SimpleKey | undefined {
    const key = this.#levels.at(-1);
    if (key === undefined || !this.#isValid(key)) return undefined;
    key.isPossible = false;
    this.#levelOf.delete(key.number);
    return key;
  }

  /** True if the token of that number may still turn out to be a key. */
  mayBegin(number: number): boolean {
    const level = this.#levelOf.get(number);
    const key = level === undefined ? undefined : this.#levels[level];
    return key !== undefined && this.#isValid(key);
  }

  /**
   * Enters a flow collection. `number` is the number of its token. As in go-yaml, it stands for a key within
   * the collection until one is found. So an empty collection is a key only after a `?`.
   */
  open(number: number): void {
    this.#levels.push({ isPossible: false, isRequired: false, number, mark: this.cursor.mark });
  }

  /** Leaves a flow collection. */
  close(): void {
    const key = this.#levels.pop();
    if (key !== undefined) this.#levelOf.delete(key.number);
  }

  /** False if the key ends with its line, or with too many characters. Throws YamlError if it is required. */
  #isValid(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    if (key.mark.line === this.cursor.line && !this.#isTooLong(key.mark.at)) return true;
    if (key.isRequired) this.cursor.fail("could not find expected ':'");
    key.isPossible = false;
    return false;
  }

  #isTooLong(from: number): boolean {
    const { at, text } = this.cursor;
    return at - from > MAX_LENGTH && (at - from > 2 * MAX_LENGTH || [...text.slice(from, at)].length > MAX_LENGTH);
  }
}
