import type { PackageRecord } from '#core/catalog/model/package-record';
import { sliceCatalogs } from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import { problemHash } from '#core/classic/resolution/problem/problem-hash';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { resolve } from '#core/classic/resolution/resolve';
import { sampleCatalog, samplePackage } from '#core/classic/resolution/sample-problem.fixture';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { SettingValues } from '../../engine/passes/poller-agreement.js';
import { type ClassicCluster, GLOBAL, objectOf, refTo } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { PlanBench } from '../install-plans/install-plans.fixture.js';
import { ObservedProblems } from '../namespaces/observed-problems.js';
import { resolutionStage } from './resolution.stage.js';
import { SolutionCheck } from './solution-check.js';

/** Conditions of a Subscription once its plan is there, and not carried out. */
export const PLAN_UNDER_WAY = 'InstallPlanPending=True Installing';

/** The catalog olm/shelf and a poller and a resolver that do their work when a test says so. */
export class ResolutionBench {
  readonly plans = new PlanBench();
  readonly store = new MemoryProblemStore();
  readonly observed = new ObservedProblems(this.store);
  /** Namespaces that must be observed again, with the pause. */
  readonly jobs: string[] = [];
  readonly refused: string[] = [];
  readonly agreed: SettingValues[] = [];
  readonly check = new SolutionCheck(this.store, this.observed, {
    note: ({ cluster, what, fields }) => void this.refused.push(`${cluster} ${what}: ${fields?.['refusal']}`),
  });

  stage(unpackTimeoutMs = 0) {
    const { plans, observed, check } = this;
    const add = async (job: SubjectJob, options?: Readonly<{ delayMs?: number }>) => {
      this.jobs.push(`${'namespace' in job ? job.namespace : ''} after ${options?.delayMs} ms`);
    };
    return resolutionStage({
      ...{ observed, check, unpackTimeoutMs },
      agreement: { note: (_cluster, values) => void this.agreed.push(values) },
      contents: plans.contents,
      observe: { add } as unknown as JobQueue<SubjectJob>,
      log: plans.log,
      marks: plans.marks,
    });
  }

  /** Acts as the poller: stores the problem of the namespace as it is now. */
  async observe(
    at: ClassicCluster,
    packages: readonly PackageRecord[],
    namespace = 'shop',
  ): Promise<ResolutionProblem> {
    const { read } = await at.input(namespace);
    at.asked();
    const desired = desiredNamespaceOf(read);
    const { slices, records } = sliceCatalogs(desired, [sampleCatalog('shelf', ...packages)]);
    const problem: ResolutionProblem = { v: 1, wishes: desired, catalogs: slices };
    await this.store.putProblem(problem, records);
    await this.store.putObservation(at.client.cluster, namespace, { problem: problemHash(problem) });
    this.#records = records;
    return problem;
  }
  #records: ReadonlyMap<string, PackageRecord> = new Map();

  /** Acts as poller and resolver. `forge` is a resolver that an attacker controls. */
  async solve(
    at: ClassicCluster,
    packages: readonly PackageRecord[],
    forge: (answer: Resolution) => Resolution = (answer) => answer,
  ): Promise<void> {
    const problem = await this.observe(at, packages);
    const answer = resolve(problem, (hash) => this.#records.get(hash) ?? samplePackage(hash));
    await this.store.putSolution(problemHash(problem), forge(answer));
  }

  /** Puts the bundle of `name.vVERSION` into the registry, as the samples of the core name its image. */
  bundle(name: string, version: string, more: readonly KubernetesObject[] = [], spec: object = {}): string {
    const image = `registry.test/${name}:${version}`;
    const csv = lampCsv('', `${name}.v${version}`, { spec: { version, ...spec }, deployments: [name] });
    this.plans.registry.put(image, [{ ...csv, metadata: { name: `${name}.v${version}` } }, ...more]);
    return image;
  }
}

/** A CatalogSource olm/shelf that is healthy unless it has another state. */
export const shelf = (at: ClassicCluster, lastObservedState = 'READY', metadata: KubernetesObject['metadata'] = {}) =>
  at.put(
    objectOf('CatalogSource', 'shelf', GLOBAL, {
      metadata,
      spec: { sourceType: 'grpc', image: 'registry.test/shelf:1' },
      status: { connectionState: { lastObservedState } },
    }),
  );

type Wanted = Readonly<{ spec?: object; status?: Record<string, unknown>; metadata?: KubernetesObject['metadata'] }>;

/** A Subscription in `shop` to channel stable of the package of its name. */
export function subscribe(at: ClassicCluster, name = 'lamp', { spec = {}, status, metadata = {} }: Wanted = {}) {
  const wanted = { name, channel: 'stable', source: 'shelf', sourceNamespace: GLOBAL, ...spec };
  const lastUpdated = '2026-01-01T00:00:00Z';
  return at.put(
    objectOf('Subscription', name, 'shop', {
      metadata,
      spec: wanted,
      ...(status === undefined ? {} : { status: { lastUpdated, ...status } }),
    }),
  );
}

export const subscription = (name = 'lamp') => refTo('Subscription', name, 'shop');

/** The plans of `shop`, the oldest generation first. */
export const plansIn = (at: ClassicCluster): readonly InstallPlan[] =>
  (at.cluster.list({ ...refTo('InstallPlan', ''), namespace: 'shop' }) as unknown as readonly InstallPlan[]).toSorted(
    (a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0),
  );
