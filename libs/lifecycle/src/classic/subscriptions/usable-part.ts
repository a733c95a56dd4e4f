import { csvOf } from '#core/classic/install-plan/creation/bundle-steps';
import { bundlesToInstall, type ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import { bringsAgedApi } from '#core/classic/install-plan/execution/aged-kinds';
import { bundleRefusal } from '#core/classic/install-plan/execution/refuse-unsupported';
import { withoutBundles } from '#core/classic/resolution/isolation/without-bundles';
import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import type { ObservedNamespace } from '#core/classic/resolution/problem/resolution-problem';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { BundleContent } from '../bundles/bundle-contents.js';
import type { FetchedBundles } from '../bundles/fetch-bundles.js';
import { type UnpackFailure, unpackFailure } from './unpack-bundles.js';

/** Subscriptions that wait for an unusable bundle, and the text of their conditions. */
export type HeldSubscriptions = Readonly<{ subscriptions: readonly string[]; failure: UnpackFailure }>;

/** The part of a resolution with bundles that can all be installed, and the parts that it leaves out. */
type UsablePart = Readonly<{
  resolution: ResolvedResolution;
  bundles: ReadonlyMap<string, BundleContent>;
  held: readonly HeldSubscriptions[];
}>;

/**
 * Takes bundles that cannot be read, or cannot be turned into steps, out of a resolution. If every plan of a
 * bundle is refused, the bundle comes after its neighbours, in a plan of its own that gives the reason
 * (decision 0494).
 */
export function usablePart(
  resolution: ResolvedResolution,
  fetched: FetchedBundles,
  read: ObservedNamespace,
): UsablePart {
  const failures = new Map<string, UnpackFailure>();
  const refused = new Set<string>();
  for (const { name } of bundlesToInstall(resolution)) {
    const failure = failureOf(name, fetched);
    if (failure !== undefined) failures.set(name, failure);
    else if (needsOwnPlan(name, fetched.bundles.get(name)?.objects ?? [])) refused.add(name);
  }
  const desired = desiredNamespaceOf(read);
  const usable = withoutBundles(resolution, new Set(failures.keys()), desired);
  const { rest } = withoutBundles(usable.rest, refused, desired);
  const alone = [...refused].map((name) => withoutBundles(usable.rest, new Set([name]), desired).affected);
  const next = [rest, ...alone].find(({ subscriptionsUpdated }) => subscriptionsUpdated.length > 0) ?? rest;
  const kept = new Set(next.chosen.map(({ name }) => name));
  return {
    resolution: next,
    bundles: new Map([...fetched.bundles].filter(([name]) => kept.has(name))),
    held: usable.refusals.flatMap(({ bundle, subscriptions }) => {
      const failure = failures.get(bundle);
      return failure === undefined ? [] : [{ subscriptions, failure }];
    }),
  };
}

const needsOwnPlan = (name: string, objects: readonly KubernetesObject[]): boolean =>
  bringsAgedApi(objects) || bundleRefusal(name, objects) !== undefined;

function failureOf(name: string, { bundles, unusable }: FetchedBundles): UnpackFailure | undefined {
  const why = unusable.get(name);
  if (why !== undefined) return unpackFailure(why);
  const content = bundles.get(name);
  const image = content !== undefined && 'image' in content.source ? content.source.image : undefined;
  const csv = content === undefined ? undefined : csvOf(content.objects, image);
  if (csv === undefined || 'csv' in csv) return undefined;
  return { effect: 'unpackFailed', reason: 'ErrorPreventedUnpacking', message: csv.problem };
}
