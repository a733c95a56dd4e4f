import type { PackageRecord } from '#core/catalog/model/package-record';
import { bundlesToInstall, planInstall, type ResolvedResolution } from '#core/classic/install-plan/plan-install';
import { desiredNamespaceOf } from '#core/classic/resolution/desired-namespace';
import { nextPart } from '#core/classic/resolution/isolation/resolution-parts';
import type { ResolutionProblem } from '#core/classic/resolution/resolution-problem';
import {
  type DesiredClassic,
  previewPlace,
  subscriptionConflict,
  withDesired,
} from '#core/fleet/desired/desired-classic';
import { beginningWith } from '#core/fleet/desired/first-bundle';
import { classicDeprecations } from '#core/fleet/plan-class/deprecations';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Subscription } from '#core/kernel/api/subscription';
import { sameJson } from '#core/kernel/canonical/same-json';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Clock } from '#platform/clock/clock.port';
import { SystemClock } from '#platform/clock/system-clock';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { BundleContents } from '../../classic/install-plans/bundle-contents.js';
import { type NamespaceRead, readNamespace } from '../../classic/namespaces/namespace-read.js';
import { ObservedProblems } from '../../classic/namespaces/observed-problems.js';
import type { NamespaceStageInput } from '../../classic/namespaces/stage.js';
import type { StagesHub } from '../../classic/namespaces/stages.js';
import { fetchBundles } from '../../classic/subscriptions/fetch-bundles.js';
import { SolutionCheck } from '../../classic/subscriptions/solution-check.js';
import { PassReader } from '../../engine/pass-reader.js';
import type { ClassicPreview, NotThere } from '../rollouts/order-place.js';

/** The poller mostly notices by itself what makes a preview stale. */
const OBSERVE_AFTER_MS = 1_000;

type PreviewsHub = Pick<StagesHub, 'problems' | 'bundlePulls' | 'content' | 'log' | 'refused' | 'queues'> &
  Readonly<{ settings: Pick<StagesHub['settings'], 'bundleUnpackTimeout'>; clock?: Clock }>;

/**
 * The plans that a cluster would make with what a fleet wants there: from what the poller observed, what a
 * resolver solved, and the bundles that were chosen. Nothing is written to the cluster.
 */
export class ClassicPreviews {
  readonly #observed: ObservedProblems;
  readonly #check: SolutionCheck;
  readonly #contents: BundleContents;

  constructor(private readonly hub: PreviewsHub) {
    const { problems, bundlePulls, content, queues, log, refused } = hub;
    this.#observed = new ObservedProblems(problems);
    this.#check = new SolutionCheck(problems, this.#observed, refused);
    this.#contents = new BundleContents(bundlePulls, content, queues.apply, log);
  }

  /** What would be installed by now, or what it waits for. */
  async of(client: KubeClient, wanted: DesiredClassic, globalCatalogNamespace: string): Promise<ClassicPreview> {
    const { namespace, package: packageName } = wanted.operator.spec;
    const reader = new PassReader(client);
    const live = await readNamespace(reader, namespace, globalCatalogNamespace);
    const known = await this.#observed.find(client.cluster, previewPlace(namespace, packageName));
    const record = known && (await this.#recordIn(known.problem, wanted.subscription.spec));
    const desired = known ? beginningWith(wanted, live, record) : wanted;
    const overlaid = subscriptionConflict(live, desired) ?? withDesired(live, desired);
    if (typeof overlaid === 'string') return { conflict: overlaid };
    const catalogSources = [
      ...live.catalogSources.filter((one) => !isNamed(one, desired)),
      ...sourcesOf(live, desired),
    ];
    const read = { ...live, ...overlaid, catalogSources };
    const where = { cluster: client.cluster, namespace };
    if (known === undefined || !sameJson(desiredNamespaceOf(read), known.problem.wishes)) {
      await this.#observe(client.cluster, namespace);
      return { waits: 'its catalogs were not looked through yet' };
    }
    const solution = await this.hub.problems.getSolution(known.hash);
    if (solution === undefined) return { waits: 'it is being resolved' };
    if (solution.result !== 'resolved') {
      const verified = await this.#check.verifiedFailure(where, { ...known, solution });
      if (verified === undefined) return { waits: 'it is resolved anew' };
      // A catalog that does not answer, and a search that was given up, are no answer about the operator.
      return verified.result === 'unsatisfiable' ? { fails: verified.message } : { waits: verified.message };
    }
    const now = this.hub.clock?.now() ?? new SystemClock().now();
    const signal = new AbortController().signal;
    const input = { client, reader, read, now, signal, patience: new Patience() };
    const found = await this.#planOf(input, { ...known, solution }, desired);
    return record === undefined ? found : withDeprecations(found, record, desired, live);
  }

  /** What the catalog of a Subscription deprecates of a bundle, as it was when its namespace was observed. */
  async deprecationsOf(
    { cluster, namespace }: Readonly<{ cluster: string; namespace: string }>,
    spec: Subscription['spec'],
    bundle: string,
  ): Promise<readonly string[] | NotThere> {
    const { source, sourceNamespace, name } = spec;
    const known = await this.#observed.find(cluster, namespace);
    if (known === undefined) {
      await this.#observe(cluster, namespace);
      return { waits: `CatalogSource ${sourceNamespace}/${source} was not read yet` };
    }
    const hash = recordHashIn(known.problem, spec);
    const record = hash === undefined ? undefined : await this.#observed.record(hash);
    if (record !== undefined) return classicDeprecations(record, spec.channel, bundle);
    if (hash !== undefined) {
      await this.#observe(cluster, namespace);
      return { waits: `CatalogSource ${sourceNamespace}/${source} is being read again` };
    }
    return { gone: `CatalogSource ${sourceNamespace}/${source} does not answer, or has no package ${name}` };
  }

  /** A pass follows, also where what was known of a namespace at rest went with an emptied Redis. */
  #observe(cluster: string, namespace: string): Promise<void> {
    return this.hub.queues.observe.add({ v: 1, cluster, namespace }, { delayMs: OBSERVE_AFTER_MS });
  }

  /** The package as the catalog had it when the namespace was observed. */
  async #recordIn(problem: ResolutionProblem, spec: Subscription['spec']) {
    const hash = recordHashIn(problem, spec);
    return hash === undefined ? undefined : this.#observed.record(hash);
  }

  async #planOf(
    input: NamespaceStageInput,
    solved: Readonly<{ hash: string; problem: ResolutionProblem; solution: ResolvedResolution }>,
    desired: DesiredClassic,
  ): Promise<ClassicPreview> {
    const { namespace, subscriptions, installPlans: existingPlans } = input.read;
    const packageName = desired.operator.spec.package;
    const name = subscriptions.find(({ spec }) => spec.name === packageName)?.metadata.name ?? '';
    const resolution = partOf(solved.solution, name);
    const leftOut = solved.solution.unresolved?.find((one) => one.name === name);
    if (leftOut !== undefined) return { fails: leftOut.message };
    if (resolution === undefined) return { nothing: 'nothing is to be installed' };
    const where = { cluster: input.client.cluster, namespace };
    if (!(await this.#check.admits(where, solved))) return { waits: 'it is resolved anew' };
    try {
      const wanted = bundlesToInstall(resolution);
      const bundles = await fetchBundles(this.#contents, input, wanted, this.hub.settings.bundleUnpackTimeout);
      if ('stillFetching' in bundles) return { waits: `fetching ${bundles.stillFetching.join(', ')}` };
      const planned = planInstall({ namespace, subscriptions, resolution, bundles, existingPlans });
      if (planned.result === 'nothing') return { nothing: planned.because };
      const moved = resolution.subscriptionsUpdated;
      const installed = new Map(
        subscriptions.map((one) => [one.metadata.name ?? '', one.status?.installedCSV ?? null]),
      );
      const moves = moved.map((one) => ({
        subscription: one.name,
        from: installed.get(one.name) ?? null,
        to: one.currentCSV,
      }));
      const bundle = moved.find((one) => one.name === name)?.currentCSV ?? '';
      return { plan: { ...planned.plan, status: planned.status }, moves, planned: bundle, desired };
    } catch (error) {
      if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
      // A registry that does not answer is tried again.
      return error.retry === 'when-input-changes' ? { fails: error.message } : { waits: error.message };
    }
  }
}

/** Of the package as the catalog of a Subscription had it when the problem was made. */
export function recordHashIn(
  { catalogs }: ResolutionProblem,
  { name, source, sourceNamespace }: Subscription['spec'],
): string | undefined {
  const slice = catalogs.find(({ key }) => key.name === source && key.namespace === sourceNamespace);
  return slice?.packages.find((one) => one.name === name)?.record;
}

/** With what the catalog deprecates of it, where something would be installed, or stays. */
function withDeprecations(
  found: ClassicPreview,
  record: PackageRecord,
  { subscription: { spec } }: DesiredClassic,
  { subscriptions }: NamespaceRead,
): ClassicPreview {
  if (!('plan' in found || 'nothing' in found)) return found;
  const installed = subscriptions.find((one) => one.spec.name === spec.name)?.status?.installedCSV ?? '';
  const bundle = 'plan' in found ? found.planned : installed;
  return { ...found, deprecations: classicDeprecations(record, spec.channel, bundle) };
}

/** What is planned for one Subscription; with isolation its part alone. */
function partOf(resolution: ResolvedResolution, subscription: string): ResolvedResolution | undefined {
  if (resolution.parts === undefined) return resolution.subscriptionsUpdated.length === 0 ? undefined : resolution;
  const parts = resolution.parts.filter(({ subscriptions }) => subscriptions.includes(subscription));
  return nextPart({ ...resolution, parts })?.resolution;
}

const isNamed = ({ metadata }: CatalogSource, { catalogSource }: DesiredClassic): boolean =>
  metadata.name === catalogSource?.metadata.name && metadata.namespace === catalogSource?.metadata.namespace;

/** The fleet's catalog as it will be, with the pull secrets that it has in the cluster. */
function sourcesOf(live: NamespaceRead, desired: DesiredClassic): readonly CatalogSource[] {
  const found = live.catalogSources.find((one) => isNamed(one, desired));
  return [found, desired.catalogSource].filter((one) => one !== undefined).slice(-1);
}
