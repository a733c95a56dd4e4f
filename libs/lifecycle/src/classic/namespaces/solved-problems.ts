import type { Hub } from '#platform/hub/hub';
import type { SolvedJob } from '#platform/queue/jobs';
import type { ProblemFamily, ProblemStore, Waiter } from '#platform/store/problem-store.port';

export type SolvedProblemsHub = Pick<Hub, 'problems' | 'extensionProblems'> &
  Readonly<{ queues: Pick<Hub['queues'], 'apply' | 'observe' | 'extension' | 'observeExtension'> }>;

/** A resolver that reports problems as handled, and solves none, must not keep the poller busy. */
const OBSERVE_AFTER = { delayMs: 5_000 };

/** Takes problems that a resolver has handled, and wakes the namespaces and extensions that wait for their solutions. */
export class SolvedProblems {
  constructor(private readonly hub: SolvedProblemsHub) {}

  run({ problem, extension }: SolvedJob): Promise<void> {
    return extension ? this.#wakeExtensions(problem) : this.#wakeNamespaces(problem);
  }

  async #wakeNamespaces(hash: string): Promise<void> {
    const { problems, queues } = this.hub;
    const { waiters, solved } = await handled(problems, hash, ({ catalogs }) =>
      catalogs.flatMap(({ packages }) => packages.map(({ record }) => record)),
    );
    for (const { cluster, namespace } of waiters) {
      const job = { v: 1, cluster, namespace } as const;
      await (solved ? queues.apply.add(job) : queues.observe.add(job, OBSERVE_AFTER));
    }
  }

  async #wakeExtensions(hash: string): Promise<void> {
    const { extensionProblems, queues } = this.hub;
    const { waiters, solved } = await handled(extensionProblems, hash, ({ catalogs }) =>
      catalogs.flatMap(({ record }) => record ?? []),
    );
    for (const { cluster, namespace: extension } of waiters) {
      const job = { v: 1, cluster, extension } as const;
      await (solved ? queues.extension.add(job) : queues.observeExtension.add(job, OBSERVE_AFTER));
    }
  }
}

/**
 * What waits for the problem, and whether it is solved. Where it is not, a resolver may have met a damaged value, which
 * it has no right to remove: reading the problem and its records removes those that are, and the poller writes them anew.
 */
async function handled<F extends ProblemFamily>(
  store: ProblemStore<F>,
  hash: string,
  recordsOf: (problem: F['problem']) => readonly string[],
): Promise<Readonly<{ waiters: readonly Waiter[]; solved: boolean }>> {
  const waiters = await store.takeWaiters(hash);
  const solved = (await store.getSolution(hash)) !== undefined;
  const problem = solved || waiters.length === 0 ? undefined : await store.getProblem(hash);
  for (const record of problem === undefined ? [] : recordsOf(problem)) await store.getRecord(record);
  return { waiters, solved };
}
