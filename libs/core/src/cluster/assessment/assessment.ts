import type { Finding } from '../diagnosis/cluster-findings.js';
import type { HandoverFinding } from '../handover/handover-findings.js';
import type { MigrationFinding } from '../migration/migration-preflight.js';

/**
 * The upgrade path of an operator to the newest bundle: of its channel for OLM Classic, of its package for
 * OLM v1.
 */
export type UpgradeOutlookOfOperator = Readonly<{
  /** The newest bundle; empty: not known. */
  newest: string;
  /**
   * The bundles that OLM installs one after the other, starting from the installed one. Empty if the newest
   * is installed or cannot be reached.
   */
  hops: readonly string[];
  /** The reason why the operator cannot reach the newest bundle. Empty if it can. */
  noWay: string;
  /** Messages of the catalog: that package, channel or installed bundle are deprecated. */
  deprecations: readonly string[];
}>;

/** One installed or wanted operator. */
export type AssessedOperator = UpgradeOutlookOfOperator &
  Readonly<{
    api: 'classic' | 'v1';
    /** Empty for a ClusterExtension. */
    namespace: string;
    name: string;
    package: string;
    channel: string;
    /** `NAMESPACE/NAME` of the CatalogSource; empty for a ClusterExtension. */
    catalog: string;
    approval: 'Automatic' | 'Manual';
    installed: string;
    version: string;
    /** The findings that `flotilla migrate subscription` would report. Null if there is nothing to move. */
    move: readonly MigrationFinding[] | null;
  }>;

/** A namespace that a resolution of now cannot satisfy. */
export type UnmetNamespace = Readonly<{ namespace: string; text: string }>;

/**
 * Memory of OLM's own pods. If `measured`, the metrics API reported it; otherwise it is the sum of their
 * requests.
 */
export type OlmMemory = Readonly<{ pods: number; bytes: number; measured: boolean; catalogPods: number }>;

/** The operators of one cluster, and the obstacles to a hand-over to Flotilla. */
export type ClusterAssessment = Readonly<{
  cluster: string;
  version: string;
  /** OLM's Deployments that run there; none: OLM is not at work. */
  olm: readonly string[];
  memory: OlmMemory | null;
  operators: readonly AssessedOperator[];
  /** Objects that are not healthy now, the most urgent first. */
  findings: readonly Finding[];
  conflicts: readonly UnmetNamespace[];
  handover: readonly HandoverFinding[];
  /** Catalogs that could not be read from here, each with the reason. */
  unread: readonly string[];
}>;

/** Sums over a fleet, for the head of a report. */
export type AssessmentTotals = Readonly<{
  clusters: number;
  operators: number;
  packages: number;
  upToDate: number;
  behind: number;
  withoutWay: number;
  deprecated: number;
  notWell: number;
  /** Operators of OLM Classic that could become ClusterExtensions. */
  movable: number;
  /** Clusters with a running OLM. */
  withOlm: number;
  /** Clusters that can be handed over now. */
  ready: number;
  /** Bytes of OLM's pods, over the clusters that report them. */
  olmBytes: number;
  olmPods: number;
}>;

export function assessmentTotals(clusters: readonly ClusterAssessment[]): AssessmentTotals {
  const operators = clusters.flatMap((one) => one.operators);
  const count = (test: (one: AssessedOperator) => boolean) => operators.filter(test).length;
  const sum = (of: (one: ClusterAssessment) => number) => clusters.reduce((all, one) => all + of(one), 0);
  return {
    clusters: clusters.length,
    operators: operators.length,
    packages: new Set(operators.map((one) => one.package)).size,
    upToDate: count(isUpToDate),
    behind: count(({ hops, noWay }) => hops.length > 0 && noWay === ''),
    withoutWay: count(({ noWay }) => noWay !== ''),
    deprecated: count(({ deprecations }) => deprecations.length > 0),
    notWell: sum(({ findings }) => findings.length),
    movable: count(isMovable),
    withOlm: clusters.filter(hasOlm).length,
    ready: clusters.filter(isReady).length,
    olmBytes: sum(({ memory }) => memory?.bytes ?? 0),
    olmPods: sum(({ memory }) => memory?.pods ?? 0),
  };
}

/** True if the operator has the newest bundle of its channel. */
export const isUpToDate = ({ installed, newest }: AssessedOperator): boolean =>
  installed !== '' && installed === newest;

/** True if `flotilla migrate subscription` would move the operator to OLM v1. */
export const isMovable = ({ move }: AssessedOperator): boolean =>
  move?.every(({ kind }) => kind !== 'refusal') === true;

/** True if OLM runs in the cluster, so that there is something to hand over. */
export const hasOlm = ({ olm }: ClusterAssessment): boolean => olm.length > 0;

/** True if OLM could hand the cluster over now. */
export const isReady = (one: ClusterAssessment): boolean =>
  hasOlm(one) && one.handover.every(({ kind }) => kind !== 'refusal');
