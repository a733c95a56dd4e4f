import { Inject, Injectable } from '@nestjs/common';
import type { Subject } from '#core/kernel/subject/subject';
import type { Hub } from '#platform/hub/hub';
import { HUB } from '#platform/hub/hub-tokens';
import type { SolvedJob } from '#platform/queue/jobs';
import type { ProblemFamily, ProblemStore } from '#platform/store/problem-store.port';
import { EXTENSION_RULES, type FamilyRules, NAMESPACE_RULES } from './problem-families.js';

/** Thousands of namespaces may have the same problem: to wait for Redis after each would take seconds. */
const ADDED_AT_ONCE = 100;

type SolvedProblemsHub = Pick<Hub, 'problems' | 'extensionProblems'> &
  Readonly<{ queues: Pick<Hub['queues'], 'apply' | 'observe'> }>;

/** A resolver that reports problems as handled, and solves none, must not keep the poller busy. */
const OBSERVE_AFTER = { delayMs: 5_000 };

/** Takes problems that a resolver has handled, and enqueues the subjects that wait for their solutions. */
@Injectable()
export class SolvedProblems {
  constructor(@Inject(HUB) private readonly hub: SolvedProblemsHub) {}

  async run({ problem, extension }: SolvedJob): Promise<void> {
    const { problems, extensionProblems, queues } = this.hub;
    const { waiters, solved } = extension
      ? await handled(EXTENSION_RULES, extensionProblems, problem)
      : await handled(NAMESPACE_RULES, problems, problem);
    const enqueue = (subject: Subject) => {
      const job = { v: 1, ...subject } as const;
      return solved ? queues.apply.add(job) : queues.observe.add(job, OBSERVE_AFTER);
    };
    for (let from = 0; from < waiters.length; from += ADDED_AT_ONCE) {
      await Promise.all(waiters.slice(from, from + ADDED_AT_ONCE).map(enqueue));
    }
  }
}

/**
 * Returns the waiters of the problem, and reports if it is solved. If it is not, a resolver may have met a
 * damaged value; it has no right to remove that. Reading the problem and its records removes damaged values,
 * and the poller writes them again.
 */
async function handled<F extends ProblemFamily>(
  { recordsOf }: FamilyRules<F>,
  store: ProblemStore<F>,
  hash: string,
): Promise<Readonly<{ waiters: readonly Subject[]; solved: boolean }>> {
  const waiters = await store.takeWaiters(hash);
  const solved = (await store.getSolution(hash)) !== undefined;
  const problem = solved || waiters.length === 0 ? undefined : await store.getProblem(hash);
  for (const record of problem === undefined ? [] : recordsOf(problem)) await store.getRecord(record);
  return { waiters, solved };
}
