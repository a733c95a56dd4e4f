import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import {
  type ExtensionProblem,
  type ExtensionSolution,
  packageContent,
  solveExtension,
} from '#core/v1/extension/extension-problem';
import type { PackageContent } from '#core/v1/extension/package-content';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { RefusedValues } from '#platform/telemetry/metrics/refused-values';

/** Choices that were checked, as text; the oldest leave first. */
const MOST_CHECKED = 2_000;

/** A problem of a ClusterExtension and its solution, as read from the store. */
type StoredChoice = Readonly<{ hash: string; problem: ExtensionProblem; solution: ExtensionSolution }>;

/**
 * Checks the choice of a bundle before it is acted on, by making it once more: it takes a millisecond, and
 * any client that can write to Redis can write solutions.
 */
export class ChoiceCheck {
  readonly #checked = new Map<string, string>();

  constructor(
    private readonly store: ProblemStore<ExtensionProblems>,
    private readonly refused: Pick<RefusedValues, 'note'>,
  ) {}

  /**
   * Admits a choice: it may be acted on. Logs and counts one that is refused, and removes it from the store;
   * returns false for it, and while package records are missing there.
   */
  async admit(where: Readonly<{ cluster: string; extension: string }>, chosen: StoredChoice): Promise<boolean> {
    const { hash, problem, solution } = chosen;
    const claimed = canonicalJson(solution);
    if (this.#checked.get(hash) === claimed) return true;
    const contents = await this.#contentsOf(problem);
    if (contents === undefined) return false;
    if (canonicalJson(solveExtension(problem, (record) => contents.get(record))) === claimed) {
      this.#note(hash, claimed);
      return true;
    }
    const { cluster, extension } = where;
    this.refused.note({ cluster, what: 'solution', fields: { extension, problem: hash } });
    await this.store.dropSolution(hash);
    return false;
  }

  #note(hash: string, claimed: string): void {
    this.#checked.set(hash, claimed);
    const [oldest] = this.#checked.keys();
    if (this.#checked.size > MOST_CHECKED && oldest !== undefined) this.#checked.delete(oldest);
  }

  /**
   * Returns the prepared records that the problem names. Undefined if the store has lost one: the poller
   * stores it again.
   */
  async #contentsOf({
    extension,
    catalogs,
  }: ExtensionProblem): Promise<ReadonlyMap<string, PackageContent | undefined> | undefined> {
    const contents = new Map<string, PackageContent | undefined>();
    for (const hash of catalogs.flatMap(({ record }) => record ?? [])) {
      const record = await this.store.getRecord(hash);
      if (record === undefined) return undefined;
      contents.set(hash, packageContent(record, extension.gates ?? {}));
    }
    return contents;
  }
}
