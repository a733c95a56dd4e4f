import { catalogEntry, type Entry } from '../../../catalog/model/entry.js';
import type { ChosenBundle, DesiredNamespace, Resolution } from '../problem/resolution-problem.js';
import { partsOf } from './resolution-parts.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** Subscriptions that cannot have their chosen bundles, because of one bundle. */
type BundleRefusal = Readonly<{ bundle: string; subscriptions: readonly string[] }>;

/** A resolution in two parts: one independent of some bundles, and one that needs them. */
type SplitResolution = Readonly<{ rest: Resolved; affected: Resolved; refusals: readonly BundleRefusal[] }>;

/**
 * Takes bundles out of a resolution, together with every bundle that needs them, is needed by them, or takes
 * over an API from their predecessor. The rest can be installed by itself. OLM installs nothing of the
 * namespace if one bundle cannot be used (decision 0494).
 */
export function withoutBundles(
  resolution: Resolved,
  refused: ReadonlySet<string>,
  desiredNamespace: DesiredNamespace,
): SplitResolution {
  if (refused.size === 0) return { rest: resolution, affected: { ...resolution, ...NONE }, refusals: [] };
  const parts = partsOf(resolution, resolution.chosen.map(entryOf), desiredNamespace).flatMap((part) => {
    const bundle = part.bundles.find((name) => refused.has(name));
    return bundle === undefined ? [] : [{ ...part, bundle }];
  });
  const bundles = new Set(parts.flatMap((part) => part.bundles));
  const subscriptions = new Set(parts.flatMap((part) => part.subscriptions));
  const whose = (isAffected: boolean): Resolved => ({
    ...resolution,
    chosen: resolution.chosen.filter(({ name }) => bundles.has(name) === isAffected),
    subscriptionsCreated: resolution.subscriptionsCreated.filter(
      ({ spec }) => bundles.has(spec['startingCSV'] ?? '') === isAffected,
    ),
    subscriptionsUpdated: resolution.subscriptionsUpdated.filter(({ name }) => subscriptions.has(name) === isAffected),
  });
  return {
    rest: whose(false),
    affected: whose(true),
    refusals: parts.map(({ bundle, subscriptions: waiting }) => ({ bundle, subscriptions: waiting })),
  };
}

const NONE = { chosen: [], subscriptionsCreated: [], subscriptionsUpdated: [] } as const;

/** Returns the catalog entry of a bundle: its properties alone decide if bundles belong together. */
function entryOf({ catalog, catalogNamespace, package: packageName, ...chosen }: ChosenBundle): Entry {
  const { name, channel, version, replaces, properties, source } = chosen;
  return catalogEntry(
    { name: catalog, namespace: catalogNamespace },
    { name: packageName, defaultChannel: channel, entries: [] },
    { name, channel, version, replaces, skips: [], skipRange: '', properties, source },
  );
}
