import { availableParallelism, loadavg } from 'node:os';
import type { ServiceProcess } from '../environment/service-process.js';
import {
  LIMIT_AFTER_END_MS,
  type Motion,
  noMotion,
  observed,
  quietLimitMs,
  type Sighting,
  standsStill,
} from './motion.js';
import { ServiceSightings } from './service-sightings.js';
import { StoryStuck } from './story-stuck.js';

/** Watches a demo while it waits. The wait continues while anything moves, objects or queues. */
export class StillWatch {
  #motion: Motion = noMotion(performance.now());
  readonly #sightings: ServiceSightings;

  constructor(
    /** Longest time without any motion on a machine that has no other work. */
    private readonly patienceMs: number,
    private readonly services: readonly ServiceProcess[],
  ) {
    this.#sightings = new ServiceSightings(services);
  }

  /** Adds a sighting of a demo that waits for an object. @throws StoryStuck if nothing moves any more */
  look(waitingFor: string, sightings: readonly Sighting[]): void {
    const now = performance.now();
    this.#motion = observed(this.#motion, [...sightings, ...this.#sightings.latest(now)], now);
    const limit = this.services.some(({ exitCode }) => exitCode !== undefined)
      ? LIMIT_AFTER_END_MS
      : quietLimitMs(this.patienceMs, loadavg()[0] ?? 0, availableParallelism());
    if (standsStill(this.#motion, limit)) throw new StoryStuck(waitingFor, this.#motion);
  }
}
