import type { ServiceProcess } from '../environment/service-process.js';
import { countState, type Sighting } from './motion.js';

const READ_EVERY_MS = 3_000;
const ANSWER_WITHIN_MS = 2_000;
/** A sample of the metrics of waiting, running and finished jobs. */
const SAMPLE = /^(flotilla_lane_waiting|flotilla_lane_running|flotilla_job_duration_seconds_count)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="([^"]*)"/g;

/** Reads the queues of services from their metrics, as far as they answer, for the motion of a demo. */
export class ServiceSightings {
  #last: readonly Sighting[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading = false;

  constructor(private readonly services: readonly ServiceProcess[]) {}

  /** Returns the last reading, and starts the next one from time to time without a wait. */
  latest(now: number): readonly Sighting[] {
    if (!this.#reading && now - this.#readAt > READ_EVERY_MS) {
      this.#readAt = now;
      this.#reading = true;
      void Promise.all(this.services.map(sightingsOf)).then((all) => {
        this.#last = all.flat();
        this.#reading = false;
      });
    }
    return this.#last;
  }
}

async function sightingsOf(service: ServiceProcess): Promise<readonly Sighting[]> {
  if (!service.running) return [{ name: service.name, state: `ended with exit code ${service.exitCode ?? 'unknown'}` }];
  const url = await service.url();
  if (url === undefined) return [{ name: service.name, state: 'starting' }];
  try {
    const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return [{ name: service.name, state: 'runs' }, ...queueSightings(service.name, await answer.text())];
  } catch {
    return []; // It is busy, or ends; both are seen the next time.
  }
}

/** Returns the lanes and queues of one service from the text of its metrics. */
export const queueSightings = (service: string, metrics: string): readonly Sighting[] =>
  metrics.split('\n').flatMap((line) => {
    const [, metric, labels = '', value] = SAMPLE.exec(line) ?? [];
    if (metric === undefined) return [];
    const of = [...labels.matchAll(LABEL)].filter(([, key]) => key !== 'service').map(([, , text]) => text);
    const count = Number(value);
    const isTotal = metric.endsWith('_count');
    const what = isTotal ? 'jobs done' : metric.endsWith('waiting') ? 'waiting' : 'running';
    return [{ name: `${service}: ${of.join(' ')} ${what}`, state: isTotal ? countState(count) : String(count) }];
  });
