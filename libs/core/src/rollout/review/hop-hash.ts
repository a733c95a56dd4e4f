import type { InstallPlan, InstallPlanStep } from '../../kernel/api/install-plan.js';
import { byCodeUnit, canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { perObject } from '../../kernel/memo/per-object.js';

/** A Subscription that a plan moves. */
export type SubscriptionMove = Readonly<{ subscription: string; from: string | null; to: string }>;

/** Placeholder for the namespace of a cluster's global catalogs, since it differs between clusters. */
const GLOBAL = '@global';

/**
 * Returns a hash of a plan's effect. It excludes parts that differ between clusters with the same change:
 * names, generations, UIDs and times of the plan. Equal content gives equal text.
 */
export function hopHash(plan: InstallPlan, moves: readonly SubscriptionMove[], globalCatalogNamespace: string): string {
  return hopHashOf(stepsHash(plan, globalCatalogNamespace), moves);
}

/** The part of {@link hopHash} that only the plan decides. Large plans are asked for it again and again. */
export function stepsHash(plan: InstallPlan, globalCatalogNamespace: string): string {
  const known = knownHashes(plan);
  const found = known.get(globalCatalogNamespace) ?? computeHash(plan, globalCatalogNamespace);
  known.set(globalCatalogNamespace, found);
  return found;
}

/** Hashes of a plan by the namespace of global catalogs. Each cluster has one such namespace. */
const knownHashes = perObject((_plan: InstallPlan) => new Map<string, string>());

function computeHash(plan: InstallPlan, globalCatalogNamespace: string): string {
  const steps = (plan.status?.plan ?? []).filter((step) => step !== null);
  return canonicalHash(steps.map((step) => stepFacts(step, globalCatalogNamespace)).sort(byCodeUnit));
}

/** Computes {@link hopHash} from a steps hash, if the plan itself is no longer available. */
export const hopHashOf = (steps: string, moves: readonly SubscriptionMove[]): string =>
  canonicalHash({
    steps,
    moves: moves.map(({ subscription, from, to }) => `${subscription}: ${from ?? ''} → ${to}`).sort(byCodeUnit),
  });

function stepFacts({ resource, resolving }: InstallPlanStep, globalCatalogNamespace: string): string {
  const { group, version, kind, name, manifest = '', sourceName, sourceNamespace } = resource;
  const namespace = sourceNamespace === globalCatalogNamespace ? GLOBAL : sourceNamespace;
  const content = canonicalHash(manifest.replaceAll(`"${globalCatalogNamespace}"`, `"${GLOBAL}"`));
  return [group, version, kind, name, content, `${namespace}/${sourceName}`, resolving].join('\n');
}
