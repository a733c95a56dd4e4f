import type { DeprecationEntry } from '#core/catalog/model/catalog';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { readSelector } from '#core/kernel/labels/label-selector';
import {
  type DesiredExtension,
  desiredExtension,
  type ExtensionSolution,
  isProblemOf,
} from '#core/v1/extension/extension-problem';
import { heldBackText } from '#core/v1/extension/major-update';
import type { ExtensionTrouble } from '#core/v1/extension/report-extension';
import type { InstalledRevision } from '#core/v1/revision/installed-revision';
import { QUERY_KEY, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { annotationOf, bundleOf } from '#core/v1/revision/revision-states';
import { isRefusal } from '../../engine/passes/refusal.js';
import type { ExtensionPass } from '../extensions/extension-pass.js';

/** The bundle that an extension should have now. */
export type DesiredBundle =
  | Readonly<{
      kind: 'bundle';
      bundle: InstalledRevision;
      /** Hash of the desired bundle that it answers. */
      query: string;
      deprecation?: readonly DeprecationEntry[] | undefined;
      note?: string | undefined;
    }>
  /** The content of an earlier revision, whatever resolution answers. */
  | Readonly<{ kind: 'rollback'; to: ClusterObjectSet }>
  /** There is no answer yet: its arrival enqueues another pass. */
  | Readonly<{ kind: 'wait' }>
  | Readonly<{ kind: 'trouble'; trouble: ExtensionTrouble }>;

/**
 * The poller mostly sees by itself the changes that make an answer stale; asking it at once would only have
 * both run in circles.
 */
const OBSERVE_AFTER_MS = 1_000;
/** A compromised resolver must not keep poller and applier running in circles. */
const OBSERVE_AFTER_REFUSAL_MS = 30_000;

/**
 * Returns the bundle that resolution chose for the current desired state. None is asked for while the last
 * answer is rolling out, or if no catalog is left to ask. Then the installed bundle stays, and a changed
 * configuration is still followed.
 */
export async function wantedBundle(pass: ExtensionPass): Promise<DesiredBundle> {
  const { extension, states } = pass.read;
  const to = extension.metadata.annotations?.[ROLLBACK_KEY];
  if (to !== undefined) return rollbackTo(pass, to);
  const installed = states.installed && bundleOf(states.installed);
  const desired = desiredExtension(extension, installed?.bundle);
  if (desired === undefined) {
    const message = `spec.source of type ${JSON.stringify(extension.spec.source.sourceType)} names no catalog`;
    return { kind: 'trouble', trouble: { reason: 'Blocked', message } };
  }
  const query = canonicalHash(desired.query);
  const newest = states.active.at(-1);
  const kept = newest && ({ kind: 'bundle', bundle: bundleOf(newest), query } as const);
  if (kept !== undefined && isRollingOut(pass, query)) return kept;
  const solution = await takeSolution(pass, desired);
  if (solution === undefined) return { kind: 'wait' };
  if (solution.class === 'Resolved') {
    const { bundle, image, deprecation, heldBack } = solution;
    const note = heldBack === null ? undefined : heldBackText(heldBack);
    return { kind: 'bundle', bundle: { bundle, image }, query, deprecation: deprecation ?? [], note };
  }
  if (kept !== undefined && installed !== undefined && (await keepsInstalled(pass, desired, installed))) return kept;
  return { kind: 'trouble', trouble: { reason: 'Retrying', message: solution.error } };
}

function rollbackTo({ read }: ExtensionPass, wanted: string): DesiredBundle {
  const found = read.revisions.find(({ spec }) => String(spec.revision) === wanted);
  if (found !== undefined) return { kind: 'rollback', to: found };
  const kept = read.revisions.map(({ spec }) => spec.revision).toSorted((a, b) => a - b);
  const message = `annotation ${ROLLBACK_KEY} names revision ${JSON.stringify(wanted)}, which does not exist; existing revisions: ${kept.join(', ') || 'none'}`;
  return { kind: 'trouble', trouble: { reason: 'Blocked', message } };
}

/** A rollout for the current desired state is not interrupted, unless its deadline has passed. */
const isRollingOut = ({ read }: ExtensionPass, query: string): boolean =>
  read.states.rollingOut.some(
    (revision) =>
      annotationOf(revision, QUERY_KEY) === query &&
      !revision.status?.conditions?.some(({ reason }) => reason === 'ProgressDeadlineExceeded'),
  );

/**
 * Takes the solution of the observed problem. Requests another observation if its desired state differs from
 * the solved one, or if the solution is refused.
 */
async function takeSolution(
  { deps, client, read }: ExtensionPass,
  desired: DesiredExtension,
): Promise<ExtensionSolution | undefined> {
  const { cluster } = client;
  const observation = await deps.store.getObservation(cluster, read.name);
  const problem = observation && (await deps.store.getProblem(observation.problem));
  if (observation === undefined || problem === undefined || !isProblemOf(problem, desired)) {
    await deps.observe.add({ v: 1, cluster, extension: read.name }, { delayMs: OBSERVE_AFTER_MS });
    return undefined;
  }
  const { problem: hash } = observation;
  const solution = await deps.store.getSolution(hash);
  if (solution === undefined) return undefined;
  const where = { cluster, extension: read.name };
  if (await deps.check.admit(where, { hash, problem, solution })) return solution;
  await deps.observe.add({ v: 1, ...where }, { delayMs: OBSERVE_AFTER_REFUSAL_MS });
  return undefined;
}

/**
 * True only if nothing else is desired and no matching catalog exists any more (spec: v1-resolution.md,
 * "After the choice").
 */
async function keepsInstalled(
  { reader }: ExtensionPass,
  { query }: DesiredExtension,
  { bundle }: InstalledRevision,
): Promise<boolean> {
  if (query.version !== undefined && query.version !== bundle.version) return false;
  const selects = readSelector(query.selector);
  if ('error' in selects) return false;
  try {
    const catalogs = await reader.list(CLUSTER_CATALOG_API);
    return !catalogs.some(({ metadata }) => selects(metadata.labels ?? {}));
  } catch (error) {
    // If catalogs may not be listed, it is unknown if one exists.
    if (isRefusal(error)) return false;
    throw error;
  }
}
