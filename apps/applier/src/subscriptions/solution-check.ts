import type { ResolvedResolution } from '#core/install-plan/plan-install';
import type { PackageRecord, ResolutionProblem } from '#core/resolution/resolution-problem';
import { verifyResolution } from '#core/resolution/verify-resolution';
import type { ProblemStore } from '#platform/store/problem-store.port';
import { RecordCache } from '#platform/store/record-cache';
import type { RefusedValues } from '#platform/telemetry/refused-values';

/** Records as JSON, held for the namespaces of a fleet that are upgraded at the same time. */
const RECORD_BYTES = 32 * 2 ** 20;

/** A problem and its solution, as read from the store. */
export type ResolvedProblem = Readonly<{ hash: string; problem: ResolutionProblem; solution: ResolvedResolution }>;

/**
 * Checks solutions before they are acted on. Resolvers hold no rights in any cluster, and whatever can write to Redis
 * can write solutions: a solution decides nothing that the problem and its package records do not allow.
 */
export class SolutionCheck {
  readonly #records: RecordCache;

  constructor(
    private readonly store: ProblemStore,
    private readonly refused: Pick<RefusedValues, 'note'>,
  ) {
    this.#records = new RecordCache(store, RECORD_BYTES);
  }

  /**
   * Whether the solution may be acted on. One that is refused is logged, counted and removed from the store; false, too,
   * while package records are missing there.
   */
  async admits(where: Readonly<{ cluster: string; namespace: string }>, solved: ResolvedProblem): Promise<boolean> {
    const { hash, problem, solution } = solved;
    const records = await this.#recordsOf(problem);
    if (records === undefined) return false;
    const refusal = verifyResolution(problem, (record) => recordIn(records, record), solution);
    if (refusal === undefined) return true;
    const { cluster, namespace } = where;
    this.refused.note({ cluster, what: 'solution', fields: { namespace, problem: hash, refusal } });
    await this.store.dropSolution(hash);
    return false;
  }

  /** All records that the problem names; undefined where the store has lost one: the poller stores it again. */
  async #recordsOf({ catalogs }: ResolutionProblem): Promise<ReadonlyMap<string, PackageRecord> | undefined> {
    const records = new Map<string, PackageRecord>();
    for (const { record: hash } of catalogs.flatMap(({ packages }) => packages)) {
      if (records.has(hash)) continue;
      const record = await this.#records.get(hash);
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
