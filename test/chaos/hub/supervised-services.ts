import { pause } from '#testing/patience';
import type { ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';

/** Interval at which ended services are noticed. */
const LOOK_EVERY_MS = 250;
const AWAY_MS = 500;

/** A service that ended by itself, as a supervisor sees it. */
export type OwnEnd = Readonly<{ service: string; exitCode: number | undefined }>;

/** Starts services again that have ended by themselves, as systemd, Docker and Kubernetes do. */
export class SupervisedServices {
  readonly ownEnds: OwnEnd[] = [];
  readonly #held = new Set<string>();
  #watching: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(readonly all: readonly ServiceProcess[]) {}

  start(): void {
    for (const service of this.all) service.start();
    this.#watching = this.#watch();
  }

  named(name: string): ServiceProcess {
    const found = this.all.find((service) => service.name === name);
    if (found === undefined) throw new RangeError(`there is no service ${name}`);
    return found;
  }

  /** Crashes the service. It stays away until the returned function is called. */
  async kill(name: string): Promise<() => void> {
    const service = this.named(name);
    this.#held.add(name);
    await service.stop('SIGKILL');
    return () => {
      this.#held.delete(name);
      service.start();
    };
  }

  /** Halts the process. It continues when the returned function is called. */
  freeze(name: string): () => void {
    const { pid } = this.named(name);
    if (pid === undefined) return () => undefined;
    signalTo(pid, 'SIGSTOP');
    return () => signalTo(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#watching;
    await Promise.all(this.all.map((service) => service.stop('SIGKILL')));
  }

  async #watch(): Promise<void> {
    const back = new Map<string, number>();
    for (; !this.#stopping; await pause(LOOK_EVERY_MS)) {
      for (const service of this.all) {
        const { name, running, exitCode } = service;
        if (running || this.#held.has(name)) continue;
        const since = back.get(name);
        if (since === undefined) {
          back.set(name, performance.now());
          this.ownEnds.push({ service: name, exitCode });
        } else if (performance.now() - since > AWAY_MS) {
          back.delete(name);
          service.start();
        }
      }
    }
  }
}

/** A process that is gone gets none. */
function signalTo(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (Object(error).code !== 'ESRCH') throw error;
  }
}
