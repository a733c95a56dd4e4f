import { catalogEntry, type Entry } from '../../../catalog/model/entry.js';
import type { ChosenBundle, DesiredNamespace, Resolution } from '../resolution-problem.js';
import { partsOf } from './resolution-parts.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** Subscriptions that cannot have what was chosen for them, because of one bundle. */
export type BundleRefusal = Readonly<{ bundle: string; subscriptions: readonly string[] }>;

/** The rest of a resolution, and which Subscriptions wait for another bundle. */
export type WithoutBundles = Readonly<{ rest: Resolved; heldBack: readonly BundleRefusal[] }>;

/**
 * Takes bundles that cannot be used out of a resolution, together with every bundle that needs them, is
 * needed by them, or takes over an API from their predecessor: what remains can be installed by itself. OLM
 * installs nothing of the namespace (decision 0494).
 */
export function withoutBundles(
  resolution: Resolved,
  refused: ReadonlySet<string>,
  desiredNamespace: DesiredNamespace,
): WithoutBundles {
  const affected = partsOf(resolution, resolution.chosen.map(entryOf), desiredNamespace).flatMap((part) => {
    const bundle = part.bundles.find((name) => refused.has(name));
    return bundle === undefined ? [] : [{ ...part, bundle }];
  });
  const bundles = new Set(affected.flatMap((part) => part.bundles));
  const subscriptions = new Set(affected.flatMap((part) => part.subscriptions));
  return {
    rest: {
      ...resolution,
      chosen: resolution.chosen.filter(({ name }) => !bundles.has(name)),
      subscriptionsCreated: resolution.subscriptionsCreated.filter(
        ({ spec }) => !bundles.has(spec['startingCSV'] ?? ''),
      ),
      subscriptionsUpdated: resolution.subscriptionsUpdated.filter(({ name }) => !subscriptions.has(name)),
    },
    heldBack: affected.map(({ bundle, subscriptions: waiting }) => ({ bundle, subscriptions: waiting })),
  };
}

/** Which bundles belong together follows from their properties alone. */
function entryOf({ catalog, catalogNamespace, package: packageName, ...chosen }: ChosenBundle): Entry {
  const { name, channel, version, replaces, properties, source } = chosen;
  return catalogEntry(
    { name: catalog, namespace: catalogNamespace },
    { name: packageName, defaultChannel: channel, entries: [] },
    { name, channel, version, replaces, skips: [], skipRange: '', properties, source },
  );
}
