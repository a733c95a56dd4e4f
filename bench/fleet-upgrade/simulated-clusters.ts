import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { StoredObject } from '#testing/cluster/simulated-cluster';
import type { Trouble } from '../isolation/troubles.js';
import type { Edition } from '../lifecycle/operator-images.js';
import type { ClustersAnswer, ClustersRequest, EndState, FleetMilestone, RequestCounts } from './clusters-messages.js';

const ENTRY = join(PROJECT_ROOT, 'dist', 'bench', 'fleet-upgrade', 'simulated-clusters.process.js');
/** Two processes at least, one for each processor of a small machine; more if there are many clusters. */
const LEAST_PROCESSES = 2;
const CLUSTERS_A_PROCESS = 125;
/** Each process may hold the objects of all its clusters. */
const NODE_ARGUMENTS = ['--max-old-space-size=8192'];

export type SimulatedClustersOptions = Readonly<{
  /** How many healthy clusters there are. */
  count: number;
  bare: boolean;
  nodeArguments?: readonly string[];
  /** A further cluster for each of these, named like it. */
  troubled?: readonly Trouble[] | undefined;
  /** Namespaces of a wide cluster. */
  namespaces?: number | undefined;
}>;

/** One process of simulated clusters. Requests are answered in order. */
class ClustersProcess {
  readonly #child: ChildProcess;
  readonly #waiting: ((answer: ClustersAnswer) => void)[] = [];
  readonly #gone: Promise<never>;

  constructor(
    nodeArguments: readonly string[],
    reached: (answer: Readonly<{ reached: FleetMilestone; cluster: string; atMs: number }>) => void,
  ) {
    const execArgv = [...NODE_ARGUMENTS, ...nodeArguments];
    this.#child = fork(ENTRY, [], { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#gone = once(this.#child, 'exit').then(() => {
      throw new Error('a process of simulated clusters has ended');
    });
    this.#gone.catch(() => undefined);
    this.#child.on('message', (answer: ClustersAnswer) => {
      if ('reached' in answer) reached(answer);
      else this.#waiting.shift()?.(answer);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  ask(request: ClustersRequest): Promise<ClustersAnswer> {
    const answer = new Promise<ClustersAnswer>((resolve) => void this.#waiting.push(resolve));
    this.#child.send(request);
    return Promise.race([answer, this.#gone]);
  }

  /** The process ends by itself when it has lost its parent, and then writes its CPU profile. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone.catch(() => undefined);
  }
}

/** Simulated clusters in processes of their own: their cost is counted apart. */
export class SimulatedClusters {
  /** When clusters reached a milestone, in milliseconds since 1970: one number for each cluster. */
  readonly reached = new Map<FleetMilestone, Map<string, number>>();
  readonly #processes: readonly ClustersProcess[];

  private constructor(
    /** Troubled ones included. */
    readonly names: readonly string[],
    readonly healthy: ReadonlySet<string>,
    processes: number,
    nodeArguments: readonly string[],
  ) {
    const start = () => new ClustersProcess(nodeArguments, (answer) => this.#note(answer));
    this.#processes = Array.from({ length: processes }, start);
  }

  /** With a kubeconfig for each process. A troubled cluster has a process of its own, after all others. */
  static async start(
    options: SimulatedClustersOptions,
  ): Promise<Readonly<{ clusters: SimulatedClusters; kubeconfigs: readonly string[] }>> {
    const { count, bare, nodeArguments = [], troubled = [], namespaces = 0 } = options;
    const width = String(count).length;
    const healthy = Array.from({ length: count }, (_, n) => `edge-${String(n + 1).padStart(width, '0')}`);
    const processes = Math.min(count, Math.max(LEAST_PROCESSES, Math.ceil(count / CLUSTERS_A_PROCESS)));
    const names = [...healthy, ...troubled];
    const all = processes + troubled.length;
    const clusters = new SimulatedClusters(names, new Set(healthy), all, nodeArguments);
    const answers = await Promise.all(
      clusters.#processes.map((process, index) => {
        const trouble = troubled[index - processes];
        if (trouble !== undefined)
          return process.ask({ do: 'start', clusters: [trouble], bare, troubled: { trouble, namespaces } });
        return process.ask({ do: 'start', clusters: healthy.filter((_, n) => n % processes === index), bare });
      }),
    );
    return { clusters, kubeconfigs: answers.flatMap((answer) => ('kubeconfig' in answer ? answer.kubeconfig : [])) };
  }

  get pids(): readonly (number | undefined)[] {
    return this.#processes.map(({ pid }) => pid);
  }

  async ask(request: ClustersRequest): Promise<void> {
    await this.#askAll(request);
  }

  async counts(): Promise<RequestCounts> {
    const all = (await this.#askAll({ do: 'count' })).flatMap((answer) => ('counts' in answer ? answer.counts : []));
    const sum = (field: Exclude<keyof RequestCounts, 'each'>) =>
      all.reduce((total, counts) => total + counts[field], 0);
    const each: Record<string, number> = {};
    for (const [asked, count] of all.flatMap((counts) => Object.entries(counts.each)))
      each[asked] = (each[asked] ?? 0) + count;
    return { reads: sum('reads'), writes: sum('writes'), watches: sum('watches'), watched: sum('watched'), each };
  }

  /** Everything that the first cluster stores. */
  async dump(): Promise<readonly StoredObject[]> {
    const answer = await this.#processes[0]?.ask({ do: 'dump' });
    return answer !== undefined && 'objects' in answer ? answer.objects : [];
  }

  async endState(edition: Edition): Promise<EndState> {
    const answers = await this.#askAll({ do: 'check', edition });
    const states = answers.flatMap((answer) => ('endState' in answer ? answer.endState : []));
    return {
      succeeded: states.reduce((sum, { succeeded }) => sum + succeeded, 0),
      faults: states.flatMap(({ faults }) => faults),
    };
  }

  /** How many clusters have reached the milestone, of all or of these. */
  reachedBy(milestone: FleetMilestone, of?: ReadonlySet<string>): number {
    return this.#reachedAt(milestone, of).length;
  }

  /** Seconds from a time to the milestone, one number for each cluster that reached it, sorted. */
  secondsTo(milestone: FleetMilestone, sinceMs: number, of?: ReadonlySet<string>): readonly number[] {
    return this.#reachedAt(milestone, of)
      .map((at) => (at - sinceMs) / 1_000)
      .sort((a, b) => a - b);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
  }

  #askAll(request: ClustersRequest): Promise<readonly ClustersAnswer[]> {
    return Promise.all(this.#processes.map((process) => process.ask(request)));
  }

  #reachedAt(milestone: FleetMilestone, of?: ReadonlySet<string>): readonly number[] {
    const reached = this.reached.get(milestone) ?? new Map<string, number>();
    return [...reached].flatMap(([cluster, at]) => (of === undefined || of.has(cluster) ? at : []));
  }

  #note({ reached, cluster, atMs }: Readonly<{ reached: FleetMilestone; cluster: string; atMs: number }>): void {
    const clusters = this.reached.get(reached) ?? new Map<string, number>();
    clusters.set(cluster, atMs);
    this.reached.set(reached, clusters);
  }
}
