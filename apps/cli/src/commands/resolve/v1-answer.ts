import { loadCatalog } from '#core/catalog/load/load-catalog';
import type { Catalog } from '#core/catalog/model/catalog';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import { formatVersion } from '#core/kernel/versions/version';
import { CATALOG_NAME_LABEL, type ExtensionCatalog } from '#core/v1/extension/catalog-query';
import { statusAfterPass } from '#core/v1/extension/extension-status';
import { type FeatureGates, packageIndex } from '#core/v1/extension/package-content';
import { type ExtensionResolution, resolveExtension } from '#core/v1/extension/resolve-extension';
import { formatRelease } from '#core/v1/extension/version-release';
import type { InstalledRevision } from '#core/v1/revision/installed-revision';
import type { V1Case, V1Catalog } from './v1-case.js';

/** Answers one case of OLM v1, in the form the cases' expected answers have. */
export function answerV1(question: V1Case): Record<string, unknown> {
  const { name, featureGates: gates, majorUpdates } = question;
  const query = question.spec.source.catalog;
  const catalogs = question.catalogs.map((catalog) => extensionCatalog(catalog, query.packageName, gates));
  const installed = installedRevision(question.installed);
  const resolution = resolveExtension({ query, installed: installed?.bundle, catalogs, majorUpdates });
  const status = statusAfterPass({ query, installed, catalogs, gates, resolution });
  return {
    name,
    ...resolutionAnswer(resolution),
    conditions: status.conditions,
    ...(status.install === undefined ? {} : { statusInstallBundle: status.install }),
  };
}

/** Returns the installed bundle. Cases need not give its origin. */
function installedRevision(installed: V1Case['installed']): InstalledRevision | undefined {
  if (installed === undefined || installed === null) return;
  const { image = `img/${installed.name}`, ...bundle } = installed;
  return { bundle, image };
}

function extensionCatalog(catalog: V1Catalog, packageName: string, gates: FeatureGates): ExtensionCatalog {
  const { name, labels, priority, availabilityMode } = catalog;
  // Admission puts the name's label on every ClusterCatalog.
  return {
    name,
    labels: { ...labels, [CATALOG_NAME_LABEL]: name },
    priority,
    availabilityMode,
    content: contentOf(catalog, packageName, gates),
  };
}

/**
 * Returns the content of a package. OLM v1 reads a package at a time: faults of another package do not
 * matter.
 */
function contentOf(catalog: V1Catalog, packageName: string, gates: FeatureGates): ExtensionCatalog['content'] {
  const { name, serving, metas } = catalog;
  if (!serving) return { error: `catalog "${name}" is not being served` };
  try {
    return packageIndex(
      load(
        name,
        metas.filter((blob) => packageOf(blob) === packageName),
      ),
      gates,
    );
  } catch (error) {
    if (error instanceof CatalogLoadError) return { error: `error loading package "${packageName}": ${error.olmText}` };
    throw error;
  }
}

const packageOf = ({ schema, package: owner, name }: V1Catalog['metas'][number]): unknown =>
  schema === 'olm.package' && (owner === undefined || owner === '') ? name : owner;

function load(name: string, metas: V1Catalog['metas']): Catalog {
  const text = metas.map((blob) => JSON.stringify(blob)).join('\n');
  return loadCatalog([{ path: `${name}.json`, bytes: new TextEncoder().encode(text) }]);
}

function resolutionAnswer(resolution: ExtensionResolution): Record<string, unknown> {
  if (resolution.class !== 'Resolved') return { class: resolution.class, error: resolution.error };
  const { name, version, catalog } = resolution;
  const release = formatRelease(version);
  return {
    class: 'Resolved',
    bundle: name,
    version: formatVersion(version.version),
    ...(release === undefined || release === '' ? {} : { release }),
    catalog,
  };
}
