import { explainExtension } from '#core/v1/extension/explain-extension';
import { extensionInput, packageContent } from '#core/v1/extension/extension-problem';
import type { PackageContent } from '#core/v1/extension/package-content';
import { resolveExtension } from '#core/v1/extension/resolve-extension';
import { formatLegacyVersion } from '#core/v1/extension/version-release';
import { bundleOf, hasSucceeded, isArchived } from '#core/v1/revision/revision-states';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import type { ObservedProblem } from '../../engine/publishing/publish-problem.js';
import type { SeenExtension } from '../../v1/observation/observed-extensions.js';
import { MOST_SHOWN, type OfferedVersion } from './newer-versions.js';

/** A kept revision of a ClusterExtension. The extension can be rolled back to it. */
export type KeptRevision = Readonly<{ revision: number; bundle: string; version: string; state: string }>;

type Observed = ObservedProblem<ExtensionProblems>;

/**
 * Returns the versions that are newer than a ClusterExtension's, in all channels and catalogs that it asks.
 * Each comes with the first rule that excludes it, as `flotilla explain extension` says it.
 */
export function newerOfExtension(observed: Observed, isExplained: boolean): readonly OfferedVersion[] {
  const { problem, records } = observed;
  const { gates = {}, installed } = problem.extension;
  const contents = new Map<string, PackageContent | undefined>();
  for (const [hash, record] of records) contents.set(hash, packageContent(record, gates));
  const input = extensionInput(problem, (hash) => contents.get(hash));
  const resolution = resolveExtension(input);
  const { state, passedOver } = explainExtension(input, resolution);
  const isNext = resolution.class === 'Resolved' && state !== 'settled' && resolution.name !== installed?.name;
  const next = isNext
    ? [{ ...resolution, version: formatLegacyVersion(resolution.version), because: nextBecause(isExplained) }]
    : [];
  return [...passedOver.slice(0, MOST_SHOWN - next.length), ...next].map(({ name, version, catalog, because }) => ({
    bundle: name,
    version,
    channel: `${channelsOf(observed, catalog, name).join(', ')} of ${catalog}`,
    why: because,
  }));
}

const nextBecause = (isExplained: boolean): string =>
  isExplained ? 'it can be next; the obstacle named above blocks it' : 'it is the next one';

function channelsOf({ problem, records }: Observed, catalog: string, bundle: string): readonly string[] {
  const slice = problem.catalogs.find(({ name }) => name === catalog);
  const record = records.get(slice?.record ?? '');
  return (record?.channels ?? []).flatMap(({ name, entries }) =>
    (entries ?? []).some((entry) => entry.name === bundle) ? [name] : [],
  );
}

/** The newest first. */
export const keptRevisions = ({ revisions }: SeenExtension): readonly KeptRevision[] =>
  revisions
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((one) => {
      const { bundle } = bundleOf(one);
      const state = isArchived(one) ? 'archived' : hasSucceeded(one) ? 'active' : 'rolling out';
      return { revision: one.spec.revision, bundle: bundle.name, version: bundle.version, state };
    })
    .toSorted((a, b) => b.revision - a.revision);
