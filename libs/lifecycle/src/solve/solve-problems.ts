import type { ResolveJob } from '#platform/queue/jobs';
import type { SolveProblem } from './solve-problem.js';

type OneFamily = Pick<SolveProblem<never>, 'run'>;

/** Solves the problem of a job of the queue `resolve`, by the family that the job names. */
export class SolveProblems {
  constructor(private readonly families: Readonly<{ namespaces: OneFamily; extensions: OneFamily }>) {}

  /** `addedMs`: when the job was added. */
  run({ problem, extension, owner }: ResolveJob, addedMs?: number): Promise<void> {
    const { namespaces, extensions } = this.families;
    return (extension ? extensions : namespaces).run(problem, owner, addedMs);
  }
}
