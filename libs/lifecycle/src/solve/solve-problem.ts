import { changeOf } from '#core/kernel/change/change-id';
import type { Owner } from '#core/kernel/fairness/owner';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SolvedJob } from '#platform/queue/jobs';
import type { ProblemFamily, ProblemStore } from '#platform/store/problem-store.port';
import type { Log } from '#platform/telemetry/log.port';
import type { Tracer } from '#platform/telemetry/tracing/tracer.port';
import type { SolveReport, Solver } from './solver.js';

type SolveDeps<F extends ProblemFamily> = Readonly<{
  store: Pick<ProblemStore<F>, 'getProblem' | 'getSolution' | 'putSolution'>;
  solver: Solver<F>;
  solved: JobQueue<SolvedJob>;
  log: Log;
  /** Called with the outcome and duration of every solve. */
  onSolved: (outcome: SolveReport['outcome'], seconds: number) => void;
  tracer?: Tracer | undefined;
}>;

/**
 * Solves one stored problem and has the applier enqueue the subjects that wait for the solution. Safe to run
 * twice: equal problems have equal solutions.
 */
export class SolveProblem<F extends ProblemFamily> {
  constructor(private readonly deps: SolveDeps<F>) {}

  /**
   * Solves the problem of a hash. `owner`: the owner of the problem; it only decides about the turn, and
   * names the change. `addedMs`: the time since which it waits.
   */
  async run(hash: string, owner?: Owner, addedMs?: number): Promise<void> {
    const { store, solver, solved } = this.deps;
    const known = await store.getSolution(hash);
    if (known === undefined || solver.rules.isSolvedAnew(known, solver.deadlineMs))
      await this.#solve(hash, owner, addedMs);
    await solved.add({ v: 1, problem: hash, ...solver.rules.mark });
  }

  /**
   * Stores no solution if the problem is gone from the store: the applier then requests another observation
   * of the subjects that wait for it.
   */
  async #solve(hash: string, owner: Owner | undefined, addedMs: number | undefined): Promise<void> {
    const { store, solver, log, onSolved, tracer } = this.deps;
    const problem = await store.getProblem(hash);
    const solve = problem && (await solver.prepare(problem));
    if (problem === undefined || solve === undefined) {
      log.info({ problem: hash }, 'skipped a problem that is no longer in the store; the poller will enqueue it again');
      return;
    }
    const start = performance.now();
    const solution = await solve(owner);
    const seconds = (performance.now() - start) / 1_000;
    const { outcome, text, fields } = solver.report(problem, solution);
    onSolved(outcome, seconds);
    const change = owner && changeOf(owner, hash);
    log.info({ problem: hash, ...(change && { change }), ...fields, seconds }, text);
    await store.putSolution(hash, solution);
    if (tracer !== undefined && change !== undefined)
      trace(tracer, { change, addedMs, seconds, attributes: { outcome, problem: hash } });
  }
}

type Solved = Readonly<{
  change: string;
  addedMs: number | undefined;
  seconds: number;
  attributes: Readonly<Record<string, string>>;
}>;

/** The problem was solved just now. */
function trace(tracer: Tracer, { change, addedMs, seconds, attributes }: Solved): void {
  const endMs = tracer.nowMs();
  const startMs = endMs - seconds * 1_000;
  if (addedMs !== undefined) {
    tracer.ended({ name: 'wait for a resolver', change, startMs: addedMs, endMs: startMs, attributes: {} });
  }
  tracer.ended({ name: 'solve', change, startMs, endMs, attributes });
}
