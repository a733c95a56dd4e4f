import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { type ExtensionCondition, extensionCondition } from '../revision/extension-condition.js';
import type { InstalledBundle, InstalledRevision } from '../revision/installed-revision.js';
import { bundleMetadata } from './bundle-metadata.js';
import type { CatalogQuery, ExtensionCatalog } from './catalog-query.js';
import { deprecationConditions, unknownDeprecation } from './deprecation-conditions.js';
import { heldBackText } from './major-update.js';
import type { FeatureGates } from './package-content.js';
import type { ExtensionResolution, ResolutionFailure, ResolvedBundle } from './resolve-extension.js';

/** The parts of a ClusterExtension's status that a pass decides; conditions are sorted by type. */
type ExtensionStatus = Readonly<{
  conditions: readonly ExtensionCondition[];
  install: InstalledBundle | undefined;
}>;

export type StatusInput = Readonly<{
  query: CatalogQuery;
  installed: InstalledRevision | undefined;
  catalogs: readonly ExtensionCatalog[];
  gates: FeatureGates;
  resolution: ExtensionResolution;
}>;

/**
 * Returns the status after a pass in which everything but resolution succeeds: pulling, applying (spec:
 * v1-extension.md).
 */
export function statusAfterPass(input: StatusInput): ExtensionStatus {
  const { resolution, installed } = input;
  if (resolution.class === 'Resolved') return afterInstall(input, resolution);
  if (installed !== undefined && keepsInstalled(input, installed)) return kept(installed);
  return afterFailure(installed, resolution);
}

function afterInstall({ query, gates }: StatusInput, resolved: ResolvedBundle): ExtensionStatus {
  const { name, image, version, deprecation, heldBack } = resolved;
  return {
    install: bundleMetadata(name, version, gates),
    conditions: byType([
      ...deprecationConditions(deprecation ?? [], query.channels ?? [], name),
      installedFrom(image),
      progressing('Succeeded', heldBack === undefined ? DONE : `${DONE}. ${heldBackText(heldBack)}`),
    ]),
  };
}

/**
 * True if the installed bundle is applied again although resolution failed. That is only so when nothing else
 * is asked for and no matching catalog exists any more, not even an unavailable one (spec: v1-resolution.md,
 * "After the choice").
 */
function keepsInstalled({ query, catalogs }: StatusInput, { bundle }: InstalledRevision): boolean {
  if (query.version && query.version !== bundle.version) return false;
  const selects = readSelector(query.selector);
  return !('error' in selects) && !catalogs.some(({ labels }) => selects(labels));
}

const kept = ({ bundle, image }: InstalledRevision): ExtensionStatus => ({
  install: bundle,
  conditions: byType([...unknownDeprecation(bundle.name), installedFrom(image), progressing('Succeeded', DONE)]),
});

const afterFailure = (installed: InstalledRevision | undefined, { error }: ResolutionFailure): ExtensionStatus => ({
  install: installed?.bundle,
  conditions: byType([
    ...unknownDeprecation(installed?.bundle.name),
    installed === undefined
      ? extensionCondition('Installed', 'False', 'Failed', 'No bundle installed')
      : installedFrom(installed.image),
    progressing('Retrying', error),
  ]),
});

const DONE = 'Desired state reached';

const installedFrom = (image: string): ExtensionCondition =>
  extensionCondition('Installed', 'True', 'Succeeded', `Installed bundle ${image} successfully`);

const progressing = (reason: 'Succeeded' | 'Retrying', message: string): ExtensionCondition =>
  extensionCondition('Progressing', 'True', reason, message);

const byType = (conditions: readonly ExtensionCondition[]): readonly ExtensionCondition[] =>
  conditions.toSorted((a, b) => byCodeUnit(a.type, b.type));
