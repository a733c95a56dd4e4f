import type { Finding } from '../diagnosis/cluster-findings.js';
import type { HandoverFinding } from '../handover/handover-findings.js';
import type { MigrationFinding } from '../migration/migration-preflight.js';

/**
 * How far an operator is from the newest bundle: of its channel for OLM Classic, of its package for OLM v1.
 */
export type UpgradeOutlookOfOperator = Readonly<{
  /** The newest bundle; empty: not known. */
  newest: string;
  /** The bundles that OLM takes in turn from what is installed; empty: at the newest, or no way. */
  hops: readonly string[];
  /** Why it does not come to the newest; empty where it does. */
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
    /** What `flotilla migrate subscription` would say; null where there is nothing that could move. */
    move: readonly MigrationFinding[] | null;
  }>;

/** A namespace that a resolution of now cannot satisfy. */
export type UnmetNamespace = Readonly<{ namespace: string; text: string }>;

/** What OLM's own pods use; `measured` by the metrics API, else what they request. */
export type OlmMemory = Readonly<{ pods: number; bytes: number; measured: boolean; catalogPods: number }>;

/** What one cluster has of operators, and what a hand-over to Flotilla would meet there. */
export type ClusterAssessment = Readonly<{
  cluster: string;
  version: string;
  /** OLM's Deployments that run there; none: OLM is not at work. */
  olm: readonly string[];
  memory: OlmMemory | null;
  operators: readonly AssessedOperator[];
  /** What is not well now, the most urgent first. */
  findings: readonly Finding[];
  conflicts: readonly UnmetNamespace[];
  handover: readonly HandoverFinding[];
  /** Catalogs whose content could not be read from here, and why. */
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
  /** Clusters in which OLM is at work. */
  withOlm: number;
  /** Those against whose hand-over nothing speaks now. */
  ready: number;
  /** Bytes that OLM's pods use, over the clusters that say so. */
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

/** Whether it has the newest bundle of its channel. */
export const isUpToDate = ({ installed, newest }: AssessedOperator): boolean =>
  installed !== '' && installed === newest;

/** Whether `flotilla migrate subscription` would move it to OLM v1. */
export const isMovable = ({ move }: AssessedOperator): boolean =>
  move?.every(({ kind }) => kind !== 'refusal') === true;

/** Whether OLM is at work there, so that there is something to hand over. */
export const hasOlm = ({ olm }: ClusterAssessment): boolean => olm.length > 0;

/** Whether OLM could hand the cluster over now. */
export const isReady = (one: ClusterAssessment): boolean =>
  hasOlm(one) && one.handover.every(({ kind }) => kind !== 'refusal');
