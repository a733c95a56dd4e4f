import type { Clock } from '#platform/clock/clock.port';

export type TouchedNamespacesOptions = Readonly<{
  clock: Clock;
  look: (namespace: string) => Promise<void>;
  /** The namespace will be looked at again by itself. */
  onFailure: (namespace: string, error: unknown) => void;
}>;

/** Events come in bursts; a namespace is looked at once for all that came within this time. */
const GATHER_MS = 25;
const AGAIN_MS = 30_000;

/**
 * The namespaces of one cluster that want to be looked at, each once however often it was touched. They are looked at one
 * after the other: two looks at the same one at once could publish the older view last, and nobody would notice.
 */
export class TouchedNamespaces {
  readonly #touched = new Set<string>();
  #busy = false;
  #stopped = false;

  constructor(private readonly options: TouchedNamespacesOptions) {}

  touch(namespace: string): void {
    this.#touched.add(namespace);
    if (!this.#busy) this.#gather();
  }

  /** Begins no further look. */
  stop(): void {
    this.#stopped = true;
  }

  #gather(): void {
    this.#busy = true;
    this.options.clock.after(GATHER_MS, () => void this.#lookAtAll());
  }

  async #lookAtAll(): Promise<void> {
    const namespaces = [...this.#touched];
    this.#touched.clear();
    for (const namespace of namespaces) {
      if (this.#stopped) return;
      await this.options.look(namespace).catch((error: unknown) => this.#later(namespace, error));
    }
    this.#busy = false;
    if (this.#touched.size > 0) this.#gather();
  }

  #later(namespace: string, error: unknown): void {
    this.options.onFailure(namespace, error);
    this.options.clock.after(AGAIN_MS, () => this.touch(namespace));
  }
}
