import { celEnvironment, compileExpression } from '../../catalog/model/cel/cel-expression.js';
import type { FleetCluster } from '../../kernel/api/fleet/fleet-cluster.js';
import type { ClusterSelector } from '../../kernel/api/fleet/fleet-fields.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { visibleText } from '../../kernel/text/visible-text.js';

/** The facts of a cluster that a selector sees. */
export type SelectedCluster = Readonly<{
  name: string;
  labels: Readonly<Record<string, string>>;
  facts: Readonly<Record<string, unknown>>;
}>;
/** Returns the facts of a FleetCluster that selectors see. */
export const selectedCluster = ({ metadata, status }: FleetCluster): SelectedCluster => ({
  name: metadata.name,
  labels: metadata.labels ?? {},
  facts: ((status ?? {}) as { facts?: Readonly<Record<string, unknown>> }).facts ?? {},
});

export type SelectsCluster = (cluster: SelectedCluster) => boolean;

const environment = celEnvironment().registerVariable('cluster', 'map<string, dyn>');

/** Compiles an expression. It may walk through facts, which have no known type. */
const compile = (source: string) => compileExpression(source, environment, { anyRanges: true });

/**
 * Compiles a selector of clusters. Its label selector and its expression must both match, and an absent part
 * matches all. A part that cannot be compiled or evaluated matches none.
 */
export function clusterSelector(selector: ClusterSelector | undefined): SelectsCluster {
  const byLabels = readSelector(selector?.selector);
  const byExpression = selector?.expression === undefined ? undefined : compiled(selector.expression);
  if (typeof byLabels !== 'function') return () => false;
  return (cluster) => byLabels(cluster.labels) && (byExpression === undefined || byExpression(cluster));
}

/** Returns the reason why a selector matches no cluster at all, in one line, or undefined. */
export function selectorProblem(selector: ClusterSelector | undefined): string | undefined {
  const byLabels = readSelector(selector?.selector);
  if (typeof byLabels !== 'function') return byLabels.error;
  if (selector?.expression === undefined) return undefined;
  const expression = compile(selector.expression);
  // Below the first line the parser draws the place.
  return 'error' in expression ? expression.error.split('\n')[0] : undefined;
}

/** Most characters of an error. It may quote text that the cluster's owner has written into its facts. */
const LONGEST_ERROR = 200;

/** A run-time error of a selector's expression, in one line, and the field that has the expression. */
export type SelectorFailure = Readonly<{ field: string; error: string }>;

/** Finds out whether an expression of a selector fails on a cluster, so that it does not match there. */
export type FindsFailure = (cluster: SelectedCluster) => SelectorFailure | undefined;

/**
 * Finds the run-time errors of a selector's expression, such as a label that a cluster lacks. Returns
 * undefined if there can be none. Clusters that labels alone exclude are not checked.
 */
export function selectorFailures(field: string, selector: ClusterSelector | undefined): FindsFailure | undefined {
  if (selector?.expression === undefined) return undefined;
  const byLabels = readSelector(selector.selector);
  const expression = compile(selector.expression);
  if ('error' in expression || typeof byLabels !== 'function') return undefined;
  return (cluster) => {
    const error = byLabels(cluster.labels) ? expression.failure(inExpression(cluster)) : undefined;
    return error === undefined ? undefined : { field, error: cutText(visibleText(error), LONGEST_ERROR) };
  };
}

function compiled(source: string): SelectsCluster {
  const expression = compile(source);
  if ('error' in expression) return () => false;
  return (cluster) => expression.holds(inExpression(cluster));
}

/** Returns the facts of a cluster that an expression sees. */
const inExpression = ({ name, labels, facts }: SelectedCluster) => ({
  cluster: { name, labels, facts: celValue(facts) },
});

/** A JSON value as CEL has it: whole numbers are of type int. */
export function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, celValue(one)]));
}
