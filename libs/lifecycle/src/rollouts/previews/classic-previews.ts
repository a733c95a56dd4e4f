import type { PackageRecord } from '#core/catalog/model/package-record';
import { BundleNotInstallable } from '#core/classic/install-plan/creation/bundle-steps';
import { bundlesToInstall, planInstall } from '#core/classic/install-plan/creation/plan-install';
import { isVisible } from '#core/classic/resolution/problem/catalog-slice';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { type AskedHop, type AskedPath, askedPath } from '#core/classic/upgrade-path/asked-path';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Subscription } from '#core/kernel/api/subscription';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { sameJson } from '#core/kernel/canonical/same-json';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { type DesiredClassic, previewPlace, subscriptionConflict } from '#core/rollout/desired/desired-classic';
import { beginningWith } from '#core/rollout/desired/first-bundle';
import { previewedNamespace, previewedWith, subscriptionFor } from '#core/rollout/desired/previewed-namespace';
import { classicDeprecations } from '#core/rollout/review/deprecations';
import type { Clock } from '#platform/clock/clock.port';
import { SystemClock } from '#platform/clock/system-clock';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { BundleContents } from '../../classic/bundles/bundle-contents.js';
import { fetchBundles } from '../../classic/bundles/fetch-bundles.js';
import { type NamespaceRead, readNamespace } from '../../classic/namespaces/namespace-read.js';
import type { NamespaceStageInput } from '../../classic/namespaces/namespace-stage.js';
import { ObservedProblems } from '../../classic/namespaces/observed-problems.js';
import type { StagesHub } from '../../classic/stages.js';
import { type ResolvedProblem, SolutionCheck } from '../../classic/subscriptions/solution-check.js';
import { usablePart } from '../../classic/subscriptions/usable-part.js';
import { PassReader } from '../../engine/passes/pass-reader.js';
import type { ClassicPreview, NotThere } from './classic-preview.js';
import { KnownPaths } from './known-paths.js';
import { endOf, type PlannedHop } from './planned-there.js';

/** The poller mostly notices by itself the changes that make a preview stale. */
const OBSERVE_AFTER_MS = 1_000;

type PreviewsHub = Pick<StagesHub, 'problems' | 'bundlePulls' | 'content' | 'log' | 'refused' | 'queues'> &
  Readonly<{ settings: Pick<StagesHub['settings'], 'bundleUnpackTimeout'>; clock?: Clock }>;

/**
 * The plans of a cluster with the objects that a fleet wants there. They are made from the poller's
 * observation, a resolver's solution, and the chosen bundles. Nothing is written to the cluster.
 */
export class ClassicPreviews {
  readonly #observed: ObservedProblems;
  readonly #check: SolutionCheck;
  readonly #contents: BundleContents;
  readonly #paths = new KnownPaths();

  constructor(private readonly hub: PreviewsHub) {
    const { problems, bundlePulls, content, queues, log, refused } = hub;
    this.#observed = new ObservedProblems(problems);
    this.#check = new SolutionCheck(problems, this.#observed, refused);
    this.#contents = new BundleContents(bundlePulls, content, queues.apply, log);
  }

  /**
   * Returns the InstallPlans of the installs from here, one after the other, or the input that they wait for.
   */
  async of(client: KubeClient, wanted: DesiredClassic, globalCatalogNamespace: string): Promise<ClassicPreview> {
    const { namespace, package: packageName } = wanted.operator.spec;
    const reader = new PassReader(client);
    const live = await readNamespace(reader, namespace, globalCatalogNamespace);
    const known = await this.#observed.find(client.cluster, previewPlace(namespace, packageName));
    const record = known && (await this.#recordIn(known.problem, wanted.subscription.spec));
    const wants = previewedWith(live, wanted);
    const desired = known ? beginningWith(wants, live, record) : wants;
    const overlaid = subscriptionConflict(live, desired) ?? previewedNamespace(live, desired, hasOther(live, desired));
    if (typeof overlaid === 'string') return { conflict: overlaid };
    const catalogSources = [
      ...live.catalogSources.filter((one) => !isNamed(one, desired)),
      ...sourcesOf(live, desired),
    ];
    const read = { ...live, ...overlaid, catalogSources };
    const where = { cluster: client.cluster, namespace };
    if (known === undefined || !isOf(known.problem, read, desired)) {
      await this.#observe(client.cluster, namespace);
      return { waits: 'its catalogs were not read yet' };
    }
    const solution = await this.hub.problems.getSolution(known.hash);
    if (solution === undefined) return { waits: 'it is being resolved' };
    if (solution.result !== 'resolved') {
      const verified = await this.#check.admitFailure(where, { ...known, solution });
      if (verified === undefined) return { waits: 'it is resolved anew' };
      // A catalog that does not answer, and a search that was given up, are no answer about the operator.
      return verified.result === 'unsatisfiable' ? { fails: verified.message } : { waits: verified.message };
    }
    const now = this.hub.clock?.now() ?? new SystemClock().now();
    const signal = new AbortController().signal;
    const input = { client, reader, read, now, signal, patience: new Patience() };
    const found = await this.#pathOf(input, { ...known, solution }, desired);
    return record === undefined ? found : withDeprecations(found, record, desired, live);
  }

  /** True if a Subscription has no further upgrade, as its namespace resolves. False if not known. */
  async checkEnd(
    client: KubeClient,
    { metadata: { namespace = '', name = '' } }: Subscription,
    globalCatalogNamespace: string,
  ): Promise<boolean> {
    const live = await readNamespace(new PassReader(client), namespace, globalCatalogNamespace);
    const known = await this.#observed.find(client.cluster, namespace);
    if (known === undefined || !sameJson(desiredNamespaceOf(live), known.problem.wishes)) return false;
    const solution = await this.hub.problems.getSolution(known.hash);
    if (solution?.result !== 'resolved') return false;
    if (!(await this.#check.admit({ cluster: client.cluster, namespace }, { ...known, solution }))) return false;
    const { hops, ends } = askedPath({ ...known.problem, path: name }, solution);
    return hops.length === 0 && ends === undefined;
  }

  /**
   * Asks for the deprecations of a bundle in the catalog of a Subscription, as the namespace was observed
   * last.
   */
  async askDeprecations(
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

  /**
   * Enqueues an observation; a pass follows. This holds also if an emptied Redis has lost the data of a
   * namespace at rest.
   */
  #observe(cluster: string, namespace: string): Promise<void> {
    return this.hub.queues.observe.add({ v: 1, cluster, namespace }, { delayMs: OBSERVE_AFTER_MS });
  }

  /** The package as the catalog had it when the namespace was observed. */
  async #recordIn(problem: ResolutionProblem, spec: Subscription['spec']) {
    const hash = recordHashIn(problem, spec);
    return hash === undefined ? undefined : this.#observed.record(hash);
  }

  async #pathOf(input: NamespaceStageInput, solved: ResolvedProblem, desired: DesiredClassic): Promise<ClassicPreview> {
    const { hash, problem, solution } = solved;
    const where = { cluster: input.client.cluster, namespace: input.read.namespace };
    const answer = canonicalJson(solution);
    const known = this.#paths.find(hash, answer);
    if (known !== undefined) return { ...known, desired };
    const path = askedPath(problem, solution);
    for (const hop of path.hops) {
      if (!(await this.#check.admit(where, { ...hop, hash }))) return { waits: 'it is resolved anew' };
    }
    try {
      const planned = await this.#plansOf(input, path.hops, desired);
      if (typeof planned === 'string') return { waits: planned };
      const ends = planned.ends?.message ?? (path.ends && (await this.#endOf(where, hash, path.ends)));
      const preview = previewOf(planned.hops, ends, desired);
      if ('hops' in preview && isSettled(path, planned.ends)) this.#paths.keep(hash, answer, pathIn(preview));
      return preview;
    } catch (error) {
      if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
      // A registry that does not answer is tried again.
      return isForGoodIn(error) ? { fails: error.message } : { waits: error.message };
    }
  }

  /**
   * Returns the InstallPlan of each hop, or names the awaited input. A path ends before a bundle that is not
   * available or not installable: those before it can be installed. A registry that does not answer is waited
   * for.
   */
  async #plansOf(
    input: NamespaceStageInput,
    hops: readonly AskedHop[],
    desired: DesiredClassic,
  ): Promise<Readonly<{ hops: readonly PlannedHop[]; ends?: FlotillaError }> | string> {
    const plans: PlannedHop[] = [];
    for (const hop of hops) {
      try {
        const planned = await this.#planOf(input, hop, desired);
        if (typeof planned === 'string') return planned;
        if (planned === undefined) break;
        plans.push(planned);
      } catch (error) {
        if (plans.length === 0 || !endsPath(error)) throw error;
        return { hops: plans, ends: error };
      }
    }
    return { hops: plans };
  }

  /** Returns the plan of a hop. Undefined if it moves nothing. */
  async #planOf(
    input: NamespaceStageInput,
    { resolution, moves: all }: AskedHop,
    desired: DesiredClassic,
  ): Promise<PlannedHop | string | undefined> {
    const { namespace, subscriptions, installPlans: existingPlans } = input.read;
    const wanted = bundlesToInstall(resolution);
    const fetched = await fetchBundles(this.#contents, input, wanted, this.hub.settings.bundleUnpackTimeout);
    if ('stillFetching' in fetched) return `fetching ${fetched.stillFetching.join(', ')}`;
    const name = subscriptionFor(input.read, desired)?.metadata.name ?? '';
    const usable = usablePart(resolution, fetched, input.read);
    const isHeld = (subscription: string) => usable.held.find((one) => one.subscriptions.includes(subscription));
    const held = isHeld(name);
    if (held !== undefined) {
      const { message } = held.failure;
      throw fetched.incomplete.size > 0 ? new BundleIncomplete(message) : new BundleNotInstallable(message);
    }
    const planned = planInstall({ namespace, subscriptions, ...usable, existingPlans });
    if (planned.result === 'nothing') return undefined;
    const moves = all
      .filter(({ subscription }) => isHeld(subscription) === undefined)
      .map(({ subscription, from, to }) => ({ subscription, from: from === '' ? null : from, to }));
    const own = moves.find(({ subscription }) => subscription === name);
    const plan = { ...planned.plan, status: planned.status };
    return { plan, moves, from: own?.from ?? undefined, to: own?.to ?? '' };
  }

  /** Returns the reason why a path does not continue. Undefined while that is not known. */
  async #endOf(
    where: Readonly<{ cluster: string; namespace: string }>,
    hash: string,
    ends: NonNullable<AskedPath['ends']>,
  ): Promise<string | undefined> {
    if ('leftOut' in ends) return ends.leftOut;
    return (await this.#check.admitFailure(where, { ...ends, hash }))?.message;
  }
}

/** A part of a bundle of a path is missing in its registry: it may be pushed again. */
class BundleIncomplete extends FlotillaError {
  readonly code = 'BundleIncomplete';
  readonly retry: Retry = 'backoff';
}

const isForGoodIn = ({ retry }: FlotillaError): boolean => retry === 'when-input-changes';

/** True if a bundle of a path is at fault, as against the reads and writes of its pass. */
const endsPath = (error: unknown): error is FlotillaError =>
  error instanceof FlotillaError &&
  !KubeApiError.is(error) &&
  (isForGoodIn(error) ||
    error instanceof BundleIncomplete ||
    (error instanceof RegistryError && error.failure === 'NotFound'));

/** True if the same path always leads to the same plans. */
const isSettled = ({ hops }: AskedPath, ends: FlotillaError | undefined): boolean =>
  hops.every(areByDigest) && (ends === undefined || isForGoodIn(ends));

/** True if the images of all bundles that a hop brings are named by digest. */
const areByDigest = ({ resolution }: AskedHop): boolean =>
  bundlesToInstall(resolution).every(({ source }) => 'inline' in source || source.image.includes('@sha256:'));

const pathIn = ({ hops, ends }: Extract<ClassicPreview, { hops: unknown }>) =>
  ends === undefined ? { hops } : { hops, ends };

function previewOf(
  [first, ...further]: readonly PlannedHop[],
  ends: string | undefined,
  desired: DesiredClassic,
): ClassicPreview {
  if (first !== undefined) return { hops: [first, ...further], ...(ends === undefined ? {} : { ends }), desired };
  return ends === undefined ? { nothing: 'nothing is to be installed' } : { fails: ends };
}

/**
 * Returns the hash of the package record, as the catalog of a Subscription had it when the problem was made.
 */
export function recordHashIn(
  { catalogs }: ResolutionProblem,
  { name, source, sourceNamespace }: Subscription['spec'],
): string | undefined {
  const slice = catalogs.find(({ key }) => key.name === source && key.namespace === sourceNamespace);
  return slice?.packages.find((one) => one.name === name)?.record;
}

/** Adds the deprecations by the catalog, if something would be installed, or stays. */
function withDeprecations(
  found: ClassicPreview,
  record: PackageRecord,
  { subscription: { spec } }: DesiredClassic,
  { subscriptions }: NamespaceRead,
): ClassicPreview {
  if (!('hops' in found || 'nothing' in found)) return found;
  const installed = subscriptions.find((one) => one.spec.name === spec.name)?.status?.installedCSV ?? '';
  const bundle = 'hops' in found ? endOf(found) : installed;
  return { ...found, deprecations: classicDeprecations(record, spec.channel, bundle) };
}

const isNamed = ({ metadata }: CatalogSource, { catalogSource }: DesiredClassic): boolean =>
  metadata.name === catalogSource?.metadata.name && metadata.namespace === catalogSource?.metadata.namespace;

/** The fleet's catalog as it will be, with the pull secrets that it has in the cluster. */
function sourcesOf(live: NamespaceRead, desired: DesiredClassic): readonly CatalogSource[] {
  const found = live.catalogSources.find((one) => isNamed(one, desired));
  return [found, desired.catalogSource].filter((one) => one !== undefined).slice(-1);
}

/** True if the problem is that of the namespace, and knows the catalog that the operator comes from. */
function isOf(problem: ResolutionProblem, read: NamespaceRead, { subscription }: DesiredClassic): boolean {
  if (problem.path === undefined || !sameJson(desiredNamespaceOf(read), problem.wishes)) return false;
  const { source: name, sourceNamespace: namespace } = subscription.spec;
  const isThere = read.catalogSources.some(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  const isKnown = problem.catalogs.some(({ key }) => key.name === name && key.namespace === namespace);
  return isKnown || !isThere || !isVisible({ name, namespace }, problem.wishes);
}

/** True if the fleet gives the catalog content that differs from the cluster's. */
function hasOther(live: NamespaceRead, desired: DesiredClassic): boolean {
  const { catalogSource } = desired;
  if (catalogSource === undefined) return false;
  return !live.catalogSources.some((one) => isNamed(one, desired) && one.spec.image === catalogSource.spec.image);
}
