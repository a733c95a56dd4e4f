type Entry<T> = Readonly<{ at: number; place: number; what: T }>;

/** Things to do at times: the earliest first, and of one time those that were noted first. */
export class Agenda<T> {
  readonly #heap: Entry<T>[] = [];
  #noted = 0;

  note(at: number, what: T): void {
    const heap = this.#heap;
    heap.push({ at, place: this.#noted++, what });
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  get nextAt(): number | undefined {
    return this.#heap[0]?.at;
  }

  /** Drops the earliest entries as long as a test holds. Returns the time of the next remaining entry. */
  dropWhile(test: (what: T) => boolean): number | undefined {
    for (let first = this.#heap[0]; first !== undefined && test(first.what); first = this.#heap[0]) this.take();
    return this.nextAt;
  }

  /** Removes and returns the earliest entry. */
  take(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first?.what;
    heap[0] = last;
    this.#sink();
    return first.what;
  }

  #sink(): void {
    let parent = 0;
    for (;;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < this.#heap.length && this.#isBefore(child, least)) least = child;
      }
      if (least === parent) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.at < other.at || (one.at === other.at && one.place < other.place);
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
