import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { HubAnswer, HubReading, HubRequest } from './hub-messages.js';

const ENTRY = join(PROJECT_ROOT, 'dist', 'bench', 'fleet-controller', 'hub-api.process.js');

/** The hub API in a process of its own: its usage is not counted as the controller's. */
export class HubProcess {
  readonly #child: ChildProcess = fork(ENTRY, [], {
    execArgv: ['--max-old-space-size=8192'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  readonly #waiting: ((answer: HubAnswer) => void)[] = [];
  readonly #gone = once(this.#child, 'exit').then((): never => {
    throw new Error('the process of the hub API has ended');
  });

  constructor() {
    this.#gone.catch(() => undefined);
    this.#child.on('message', (answer: HubAnswer) => this.#waiting.shift()?.(answer));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** With so many FleetClusters; the answer is its kubeconfig. */
  async start(clusters: number): Promise<string> {
    const answer = await this.ask({ do: 'start', clusters });
    return 'kubeconfig' in answer ? answer.kubeconfig : '';
  }

  async read(rollout: string): Promise<HubReading> {
    const answer = await this.ask({ do: 'read', rollout });
    if ('writes' in answer) return answer;
    throw new Error('the process of the hub API answered another question');
  }

  ask(request: HubRequest): Promise<HubAnswer> {
    const answer = new Promise<HubAnswer>((resolve) => void this.#waiting.push(resolve));
    this.#child.send(request);
    return Promise.race([answer, this.#gone]);
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone.catch(() => undefined);
  }
}
