import type { PackageRecord } from '#core/catalog/model/package-record';
import type { ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { type FailedAnswer, verifyFailure } from '#core/classic/resolution/verify/verify-failure';
import { verifyResolution } from '#core/classic/resolution/verify/verify-resolution';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { ProblemStore } from '#platform/store/problem-store.port';
import type { RefusedValues } from '#platform/telemetry/metrics/refused-values';
import type { ObservedProblems } from '../namespaces/observed-problems.js';

/** A problem and its solution, as read from the store. */
export type ResolvedProblem = Readonly<{ hash: string; problem: ResolutionProblem; solution: ResolvedResolution }>;

/** A problem and the "no" to it, as read from the store. */
export type FailedProblem = Readonly<{ hash: string; problem: ResolutionProblem; solution: FailedAnswer }>;

type Where = Readonly<{ cluster: string; namespace: string }>;
const MOST_FAILURES = 500;

/**
 * Checks solutions before they are acted on. Resolvers hold no rights in any cluster, and any client
 * that can write to Redis can write solutions: a solution can decide nothing that the problem and its
 * package records do not allow.
 */
export class SolutionCheck {
  /** Checked failures, the oldest first: a namespace has the same one pass after pass. */
  readonly #failures = new Map<string, Readonly<{ claimed: string; answer: FailedAnswer }>>();

  constructor(
    private readonly store: Pick<ProblemStore, 'dropSolution'>,
    private readonly observed: Pick<ObservedProblems, 'record'>,
    private readonly refused: Pick<RefusedValues, 'note'>,
  ) {}

  /**
   * Admits a solution: it may be acted on. Logs and counts one that is refused, and removes it from the
   * store; returns false for it, and while package records are missing there.
   */
  async admit(where: Where, solved: ResolvedProblem): Promise<boolean> {
    const { hash, problem, solution } = solved;
    const records = await this.#recordsOf(problem);
    if (records === undefined) return false;
    const refusal = verifyResolution(problem, (record) => recordIn(records, record), solution);
    if (refusal === undefined) return true;
    await this.#refuse(where, hash, refusal);
    return false;
  }

  /**
   * Admits a failure, and returns it with texts that may be shown to users. Undefined if it is refused, as in
   * {@link admit}, and while package records are missing.
   */
  async admitFailure(where: Where, failed: FailedProblem): Promise<FailedAnswer | undefined> {
    const { hash, problem, solution } = failed;
    const claimed = canonicalJson(solution);
    const known = this.#failures.get(hash);
    if (known?.claimed === claimed) return known.answer;
    const records = await this.#recordsOf(problem);
    if (records === undefined) return undefined;
    const verified = verifyFailure(problem, (record) => recordIn(records, record), solution);
    if ('refusal' in verified) {
      await this.#refuse(where, hash, verified.refusal);
      return undefined;
    }
    this.#failures.set(hash, { claimed, answer: verified.answer });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
    return verified.answer;
  }

  async #refuse({ cluster, namespace }: Where, hash: string, refusal: string): Promise<void> {
    this.refused.note({ cluster, what: 'solution', fields: { namespace, problem: hash, refusal } });
    await this.store.dropSolution(hash);
  }

  /**
   * Returns all records that the problem names. Undefined if the store has lost one: the poller stores it
   * again.
   */
  async #recordsOf({ catalogs }: ResolutionProblem): Promise<ReadonlyMap<string, PackageRecord> | undefined> {
    const records = new Map<string, PackageRecord>();
    for (const { record: hash } of catalogs.flatMap(({ packages }) => packages)) {
      if (records.has(hash)) continue;
      const record = await this.observed.record(hash);
      if (record === undefined) return undefined;
      records.set(hash, record);
    }
    return records;
  }
}

function recordIn(records: ReadonlyMap<string, PackageRecord>, hash: string): PackageRecord {
  const record = records.get(hash);
  if (record === undefined) throw new Error(`package record ${hash} is not one of the problem`);
  return record;
}
