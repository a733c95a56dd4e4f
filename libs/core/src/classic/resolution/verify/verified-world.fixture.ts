import type { PackageRecord } from '../../../catalog/model/package-record.js';
import { type IndexedCatalog, sliceCatalogs } from '../problem/catalog-slice.js';
import type { DesiredNamespace, Resolution, ResolutionProblem } from '../problem/resolution-problem.js';
import { resolve } from '../resolve.js';
import { sampleCatalog, samplePackage } from '../sample-problem.fixture.js';
import type { SearchBudget } from '../search/preference-search.js';
import { type FailedAnswer, verifyFailure } from './verify-failure.js';
import { verifyResolution } from './verify-resolution.js';

export type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** Groups of a namespace that asks for isolation. */
export const isolating = [{ name: 'group', upgradeStrategy: '', excludeGlobal: false, isolate: true as const }];

/** A problem, the resolver's answer to it, and the applier's verdict on an answer. */
export class World {
  readonly problem: ResolutionProblem;
  readonly #records: ReadonlyMap<string, PackageRecord>;

  /** `more`: catalogs in addition to `shelf`, the catalog of the packages. */
  constructor(desired: DesiredNamespace, packages: readonly PackageRecord[], more: readonly IndexedCatalog[] = []) {
    const { slices, records } = sliceCatalogs(desired, [sampleCatalog('shelf', ...packages), ...more]);
    this.problem = { v: 1, wishes: desired, catalogs: slices };
    this.#records = records;
  }

  readonly record = (hash: string): PackageRecord => this.#records.get(hash) ?? samplePackage(hash);
  readonly answer = (): Resolution => resolve(this.problem, this.record);
  /** The answer of a resolver that does not see these bundles: allowed, and not preferred. */
  readonly answerWithout = (bundles: readonly string[]): Resolution =>
    resolve(this.problem, (hash) => {
      const record = this.record(hash);
      return { ...record, entries: record.entries.filter(({ name }) => !bundles.includes(name)) };
    });
  readonly check = (claimed: FailedAnswer) => verifyFailure(this.problem, this.record, claimed);
  readonly refusal = (claimed: Resolved, budget?: SearchBudget): string | undefined =>
    verifyResolution(this.problem, this.record, claimed, budget);
}
