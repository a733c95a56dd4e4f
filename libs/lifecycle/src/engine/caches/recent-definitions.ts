import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';

/** A definition takes up to a megabyte: it is not held for longer than the passes of one upgrade need it. */
const HELD_MS = 2_000;

export const DEFINITION = 'CustomResourceDefinition';

type Held = Readonly<{ object: KubernetesObject; seen: string | undefined; cancel: () => void }>;

/**
 * CustomResourceDefinitions of one cluster as passes have just read them. No watch of the applier has them: a
 * cluster has hundreds, and a pass needs few of them. A definition is returned again for two seconds. It is
 * also returned to a pass if the poller has seen no other change of a definition since the pass that read it.
 */
export class RecentDefinitions {
  readonly #held = new Map<string, Held>();
  #writes = 0;

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /** `seen`: the newest version of a definition that the poller had seen for the subject of the pass. */
  found({ name }: Pick<ObjectRef, 'name'>, seen: string | undefined): KubernetesObject | undefined {
    const held = this.#held.get(name);
    return held !== undefined && held.seen === seen ? held.object : undefined;
  }

  /** Asks the API server through `ask`, and keeps the answer unless a definition was written meanwhile. */
  async read(
    seen: string | undefined,
    ask: () => Promise<KubernetesObject | undefined>,
  ): Promise<KubernetesObject | undefined> {
    const writes = this.#writes;
    const object = await ask();
    if (object !== undefined && writes === this.#writes) this.#hold(object, seen);
    return object;
  }

  /** Notes that a definition was written, or deleted. */
  noteWritten(name: string): void {
    this.#writes += 1;
    this.#drop(name);
  }

  clear(): void {
    for (const name of [...this.#held.keys()]) this.noteWritten(name);
  }

  #hold(object: KubernetesObject, seen: string | undefined): void {
    const { name = '' } = object.metadata;
    this.#drop(name);
    this.#held.set(name, { object, seen, cancel: this.clock.after(HELD_MS, () => this.#drop(name)) });
  }

  #drop(name: string): void {
    this.#held.get(name)?.cancel();
    this.#held.delete(name);
  }
}
