import { readSelector } from '../../kernel/labels/label-selector.js';
import { parseMastermindsConstraint } from '../../kernel/versions/masterminds-constraint.js';
import { inAnyChannel, inVersionRange, reachableFrom, sameMajorAs } from './candidate-rules.js';
import { type ExtensionCatalog, type ExtensionInput, followsEdges } from './catalog-query.js';
import type { PackageBundle } from './package-content.js';
import type { ExtensionResolution } from './resolve-extension.js';
import { type InstalledRelease, readInstalled } from './successors.js';
import { compareVersionReleases, formatLegacyVersion, type VersionRelease } from './version-release.js';

/** A newer bundle that is not chosen, and the first rule that excludes it. */
type PassedOverBundle = Readonly<{ name: string; version: string; catalog: string; because: string }>;

/** The bundle that a ClusterExtension gets or has, and the reasons against other bundles. */
export type ExtensionExplanation = Readonly<{
  state: 'installs' | 'upgrades' | 'settled' | 'cannot-be-met';
  /** Deprecation, or another remark, about the chosen bundle. */
  because?: string | undefined;
  /** The error of resolution, in OLM v1's words. */
  message?: string | undefined;
  /** Catalogs that took no part, each with the reason. */
  catalogs: readonly Readonly<{ name: string; because: string }>[];
  /** The newest first. If none is chosen or installed, all bundles. */
  passedOver: readonly PassedOverBundle[];
}>;

/** Explains the answer of resolution: `resolution` must be its answer to `input`. */
export function explainExtension(input: ExtensionInput, resolution: ExtensionResolution): ExtensionExplanation {
  const { query, installed: reported } = input;
  const considered = input.catalogs.filter((catalog) => whyNotAsked(input, catalog) === undefined);
  const catalogs = input.catalogs.flatMap((catalog) => {
    const because = whyNotAsked(input, catalog) ?? whyEmpty(query.packageName, catalog);
    return because === undefined ? [] : [{ name: catalog.name, because }];
  });
  const chosen = resolution.class === 'Resolved' ? resolution.version : undefined;
  const read = reported && readInstalled(reported);
  const installed = read === undefined || 'error' in read ? undefined : read;
  const floor = chosen ?? installed?.version;
  const rules = rulesOf(input, installed);
  const passedOver = considered
    .flatMap((catalog) => bundlesOf(query.packageName, catalog).map((bundle) => ({ catalog, bundle })))
    .flatMap(({ catalog, bundle }) => {
      const { name, version, deprecated } = bundle;
      if ('error' in version) return [];
      if (floor !== undefined && compareVersionReleases(version, floor) <= 0) return [];
      const why = rules.find(({ holds }) => !holds(bundle))?.otherwise ?? passedByOthers(deprecated, resolution);
      return [{ name, version, catalog: catalog.name, because: why }];
    })
    .toSorted((a, b) => compareVersionReleases(b.version, a.version))
    .map(({ version, ...rest }) => ({ ...rest, version: formatLegacyVersion(version) }));
  if (resolution.class !== 'Resolved') {
    return { state: 'cannot-be-met', message: resolution.error, catalogs, passedOver };
  }
  const state = installed === undefined ? 'installs' : isSame(resolution.version, installed) ? 'settled' : 'upgrades';
  return { state, because: whyChosen(input, state), catalogs, passedOver };
}

const isSame = (version: VersionRelease, installed: InstalledRelease): boolean =>
  compareVersionReleases(version, installed.version) === 0;

function whyNotAsked({ query }: ExtensionInput, { labels, availabilityMode }: ExtensionCatalog): string | undefined {
  const selects = readSelector(query.selector);
  if (!('error' in selects) && !selects(labels)) return 'spec.source.catalog.selector does not select it';
  return availabilityMode === 'Unavailable' ? 'its availabilityMode is Unavailable' : undefined;
}

function whyEmpty(packageName: string, { content }: ExtensionCatalog): string | undefined {
  if ('error' in content) return content.error;
  return content.package(packageName) === undefined ? `it has no package ${packageName}` : undefined;
}

const bundlesOf = (packageName: string, { content }: ExtensionCatalog): readonly PackageBundle[] =>
  'error' in content ? [] : (content.package(packageName)?.bundles ?? []);

type Rule = Readonly<{ holds: (bundle: PackageBundle) => boolean; otherwise: string }>;

/** The rules in the order in which a user would change the spec. */
function rulesOf({ query, majorUpdates }: ExtensionInput, installed: InstalledRelease | undefined): readonly Rule[] {
  const { channels = [], version } = query;
  const constraint = version ? parseMastermindsConstraint(version) : undefined;
  const rules: Rule[] = [];
  if (channels.length > 0) {
    const named = channels.length === 1 ? `channel ${channels[0]}` : `any of the channels ${channels.join(', ')}`;
    rules.push({ holds: inAnyChannel(new Set(channels)), otherwise: `it is not in ${named}` });
  }
  if (constraint !== undefined && !('error' in constraint)) {
    rules.push({ holds: inVersionRange(constraint), otherwise: `version ${JSON.stringify(version)} excludes it` });
  }
  if (installed === undefined || !followsEdges(query)) return rules;
  const from = formatLegacyVersion(installed.version);
  const way = 'upgrade in steps, or set upgradeConstraintPolicy to SelfCertified';
  rules.push({
    holds: reachableFrom(installed, new Set(channels)),
    otherwise: `the catalog has no upgrade to it from ${from}: ${way}`,
  });
  if (majorUpdates === 'manual') {
    const otherwise = `it is of another major version than ${from}: set spec.source.catalog.version to it`;
    rules.push({ holds: sameMajorAs(installed), otherwise });
  }
  return rules;
}

/** No rule excludes it: another bundle was preferred. */
function passedByOthers(deprecated: boolean, resolution: ExtensionResolution): string {
  if (resolution.class === 'Ambiguous')
    return 'several catalogs of the same priority have it: give one a higher priority';
  if (resolution.class === 'UnsupportedDependency') return 'it has dependencies, and OLM v1 does not install them';
  if (deprecated) return 'it is deprecated, and another one is not';
  return 'a catalog of higher priority has another one';
}

function whyChosen({ query }: ExtensionInput, state: 'installs' | 'settled' | 'upgrades'): string {
  const { channels = [], version } = query;
  const limits = [
    ...(channels.length > 0 ? [`in ${channels.length === 1 ? 'channel' : 'channels'} ${channels.join(', ')}`] : []),
    ...(state === 'installs' || !followsEdges(query) ? [] : ['that is installed or one upgrade away']),
  ];
  const text = ['the highest version', ...limits].join(' ');
  return version
    ? `${text}${limits.length > 0 ? ',' : ''} among those that version ${JSON.stringify(version)} allows`
    : text;
}

const MOST_SHOWN = 5;

/** The explanation as lines for people. */
export function explanationLines({ because, message, catalogs, passedOver }: ExtensionExplanation): string[] {
  const shown = passedOver.slice(0, MOST_SHOWN);
  const rest = passedOver.length - shown.length;
  return [
    ...(message === undefined ? [] : [message]),
    ...(because === undefined ? [] : [`It is ${because}.`]),
    ...shown.map(({ name, version, catalog, because }) => `Not ${name} ${version} of catalog ${catalog}: ${because}.`),
    ...(rest > 0 ? [rest === 1 ? 'Nor one other.' : `Nor ${rest} others.`] : []),
    ...catalogLine(catalogs),
  ];
}

const MOST_NAMED = 5;

/** One line for all catalogs, by reason. */
function catalogLine(catalogs: ExtensionExplanation['catalogs']): string[] {
  const [first, ...others] = catalogs;
  if (first === undefined) return [];
  if (others.length === 0) return [`Catalog ${first.name} was skipped: ${first.because}.`];
  const reasons = Map.groupBy(catalogs, ({ because }) => because);
  const parts = [...reasons].map(([because, all]) => {
    const names = all.slice(0, MOST_NAMED).map(({ name }) => name);
    const rest = all.length - names.length;
    return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} (${because})`;
  });
  return [`${catalogs.length} catalogs were skipped: ${parts.join('; ')}.`];
}
