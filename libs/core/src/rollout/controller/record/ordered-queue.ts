import { Agenda } from '../../windows/agenda.js';

/**
 * A queue of waiting clusters, the lowest order first. A cluster that is taken goes back unless it no longer
 * waits, so that a step can be dropped without a trace.
 */
export class OrderedQueue {
  readonly #agenda = new Agenda<Readonly<{ rank: number; cluster: string }>>();
  readonly #held = new Set<string>();

  constructor(readonly isWaiting: (cluster: string) => boolean) {}

  add(rank: number, cluster: string): void {
    if (this.#held.has(cluster)) return;
    this.#held.add(cluster);
    this.#agenda.note(rank, { rank, cluster });
  }

  *inOrder(): Iterable<string> {
    const taken: Readonly<{ rank: number; cluster: string }>[] = [];
    try {
      for (let next = this.#agenda.take(); next !== undefined; next = this.#agenda.take()) {
        if (!this.isWaiting(next.cluster)) {
          this.#held.delete(next.cluster);
          continue;
        }
        taken.push(next);
        yield next.cluster;
      }
    } finally {
      for (const one of taken) this.#agenda.note(one.rank, one);
    }
  }
}
