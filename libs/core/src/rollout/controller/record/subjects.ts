import type { FleetCatalog } from '../../../kernel/api/fleet/fleet-catalog.js';
import { type FleetObject, fleetKey } from '../../../kernel/api/fleet/fleet-kinds.js';
import type { FleetOperator } from '../../../kernel/api/fleet/fleet-operator.js';
import type { FleetStrategy, StrategySpec } from '../../../kernel/api/fleet/fleet-strategy.js';
import { versionRefusal } from '../../desired/allowed-versions.js';
import { operatorIn } from '../../desired/overrides.js';
import { stagedProblem } from '../../placement/catalog-problem.js';
import { operatorProblem, strategyProblem } from '../../placement/operator-problem.js';
import {
  clusterSelector,
  type FindsFailure,
  type SelectedCluster,
  type SelectsCluster,
  selectorFailures,
} from '../../placement/select-clusters.js';
import type { SubjectProblem } from '../../placement/subject-problem.js';
import { BUILT_IN_STRATEGY } from '../../placement/waves.js';
import { versionInName } from '../../review/plan-changes.js';
import { type WindowRules, windowRules } from '../../windows/window-rules.js';

/** The subject of a rollout: a FleetOperator, or a Staged FleetCatalog. */
export type FleetSubject = Readonly<{
  key: string;
  kind: 'FleetOperator' | 'FleetCatalog';
  namespace: string;
  /** The name of its rollouts without their number. */
  rolloutPrefix: string;
  labels: Readonly<Record<string, string>>;
  isPaused: boolean;
  isClassic: boolean;
  strategy: StrategySpec;
  /**
   * Package and namespace in the clusters; two operators of one place are in conflict. A catalog has none.
   */
  place: Readonly<{ package: string; namespace: string }> | undefined;
  selects: SelectsCluster;
  /**
   * Returns the reason why it does not select a cluster, if an expression fails there. Undefined if it
   * has no expression.
   */
  failureOn: FindsFailure | undefined;
  usualBundle: Readonly<{ before: string; next: string }>;
  /** Returns the reason why `versions` does not admit a bundle there. Returns undefined if it does. */
  refusal: (cluster: SelectedCluster, bundle: string) => string | undefined;
}>;

/** The current objects of users: subjects, windows and strategies, the older ones first. */
export class FleetFiles {
  readonly #objects = new Map<string, FleetObject>();
  #subjects: ReadonlyMap<string, FleetSubject> = new Map();
  #windows: readonly WindowRules[] = [];
  #problems: ReadonlyMap<string, SubjectProblem> = new Map();

  constructor(
    objects: readonly FleetObject[],
    /** Windows from objects that do not follow their schema. */
    private readonly unreadableWindows: readonly WindowRules[] = [],
  ) {
    for (const object of objects) this.#objects.set(fleetKey(object), object);
    this.#read();
  }

  get subjects(): ReadonlyMap<string, FleetSubject> {
    return this.#subjects;
  }

  get windows(): readonly WindowRules[] {
    return this.#windows;
  }

  /** Returns the reason why no rollout of a subject begins. Undefined if one may. */
  problemOf(key: string): SubjectProblem | undefined {
    return this.#problems.get(key);
  }

  /** Creates or replaces an object. A replaced object keeps its age. */
  apply(object: FleetObject): void {
    this.#objects.set(fleetKey(object), object);
    this.#read();
  }

  remove(key: string): void {
    this.#objects.delete(key);
    this.#read();
  }

  #read(): void {
    const objects = [...this.#objects.values()];
    const windows = objects.flatMap((object) => (object.kind === 'FleetWindow' ? windowRules(object) : []));
    this.#windows = [...windows, ...this.unreadableWindows];
    const subjects = objects.flatMap((object) => {
      if (object.kind === 'FleetOperator') return this.#operator(object);
      return object.kind === 'FleetCatalog' && object.spec.promotion === 'Staged' ? this.#catalog(object) : [];
    });
    this.#subjects = new Map(subjects.map((subject) => [subject.key, subject]));
    this.#problems = problemsOf(objects);
  }

  #strategy(namespace: string, name: string | undefined): StrategySpec {
    const found = name === undefined ? undefined : this.#objects.get(`FleetStrategy/${namespace}/${name}`);
    return found?.kind === 'FleetStrategy' ? found.spec : BUILT_IN_STRATEGY;
  }

  #operator(operator: FleetOperator): FleetSubject {
    const { metadata, spec } = operator;
    const named = spec.catalog.fleetCatalog;
    const catalog = named === undefined ? undefined : this.#objects.get(`FleetCatalog/${metadata.namespace}/${named}`);
    const catalogClusters = catalog?.kind === 'FleetCatalog' ? catalog.spec.clusters : undefined;
    const byCatalog = clusterSelector(catalogClusters);
    const byOperator = clusterSelector(spec.clusters);
    const failure = selectorFailures('spec.clusters', spec.clusters);
    const inCatalog = selectorFailures(`spec.clusters of FleetCatalog ${named}`, catalogClusters);
    const hasExpression = failure !== undefined || inCatalog !== undefined;
    return {
      key: fleetKey(operator),
      kind: 'FleetOperator',
      namespace: metadata.namespace,
      rolloutPrefix: `${metadata.namespace}/${metadata.name}`,
      labels: metadata.labels ?? {},
      isPaused: spec.paused,
      isClassic: spec.api === 'Classic',
      strategy: this.#strategy(metadata.namespace, spec.strategyRef?.name),
      place: { package: spec.package, namespace: spec.namespace },
      selects: (cluster) => byOperator(cluster) && byCatalog(cluster),
      failureOn: hasExpression
        ? (cluster) => failure?.(cluster) ?? (byOperator(cluster) ? inCatalog?.(cluster) : undefined)
        : undefined,
      usualBundle: { before: `${spec.package}.current`, next: `${spec.package}.next` },
      refusal: (cluster, bundle) => versionRefusal(operatorIn(operator, cluster).spec.versions, versionInName(bundle)),
    };
  }

  #catalog(catalog: FleetCatalog): FleetSubject {
    const { metadata, spec } = catalog;
    return {
      key: fleetKey(catalog),
      kind: 'FleetCatalog',
      namespace: metadata.namespace,
      rolloutPrefix: `${metadata.namespace}/catalog-${metadata.name}`,
      labels: metadata.labels ?? {},
      isPaused: spec.paused,
      isClassic: false,
      strategy: this.#strategy(metadata.namespace, spec.strategyRef?.name),
      place: undefined,
      selects: clusterSelector(spec.clusters),
      failureOn: selectorFailures('spec.clusters', spec.clusters),
      usualBundle: { before: 'sha256:current', next: 'sha256:next' },
      refusal: () => undefined,
    };
  }
}

/** Returns the problems of subjects, by key: an object that one names is missing, or of no use to it. */
function problemsOf(objects: readonly FleetObject[]): ReadonlyMap<string, SubjectProblem> {
  const nameOf = ({ metadata }: FleetStrategy | FleetCatalog) => `${metadata.namespace}/${metadata.name}`;
  const strategies = new Set(objects.flatMap((one) => (one.kind === 'FleetStrategy' ? nameOf(one) : [])));
  const catalogs = new Map(
    objects.flatMap((one) => (one.kind === 'FleetCatalog' ? [[nameOf(one), one] as const] : [])),
  );
  const found = new Map<string, SubjectProblem>();
  for (const one of objects) {
    if (one.kind !== 'FleetOperator' && one.kind !== 'FleetCatalog') continue;
    const problem =
      one.kind === 'FleetOperator'
        ? operatorProblem(one, { strategies, catalogs })
        : (strategyProblem(one, strategies) ?? stagedProblem(one));
    if (problem !== undefined) found.set(fleetKey(one), problem);
  }
  return found;
}
