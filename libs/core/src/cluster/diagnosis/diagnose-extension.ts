import { CLUSTER_CATALOG_API } from '../../kernel/api/cluster-catalog.js';
import { ClusterExtension } from '../../kernel/api/cluster-extension.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { asRecord } from '../../kernel/crd/loose-value.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { parseMastermindsVersion } from '../../kernel/versions/masterminds-version.js';
import { compareVersions } from '../../kernel/versions/version.js';
import { BUNDLE_VERSION_KEY, ROLLBACK_KEY } from '../../v1/revision/revision-keys.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { diagnoseConditions, isSwitchedOff, progressingMessage } from './diagnose-conditions.js';
import { type Diagnosis, diagnosis } from './diagnosis.js';
import { ownersInTheWay, remedyInTheWay, textInTheWay } from './extension-in-the-way.js';

/** Further objects of a cluster that explain the state of a ClusterExtension, as far as they were read. */
export type ExtensionSurroundings = Readonly<{
  /** CSVs, without copies. */
  csvs: readonly ClusterServiceVersion[];
  /** The objects that its conditions name as in its way. */
  inTheWay?: readonly KubernetesObject[];
  clusterCatalogs?: readonly KubernetesObject[];
  /** Its ClusterObjectSets. */
  revisions?: readonly KubernetesObject[];
}>;

/**
 * Diagnoses a ClusterExtension by its conditions. A specific remedy, if one is known, replaces the general
 * one.
 */
export function diagnoseExtension(extension: KubernetesObject, around: ExtensionSurroundings): Diagnosis {
  const found = diagnoseConditions(extension);
  if (found.standing !== 'blocked' && found.standing !== 'failed') return found;
  return stoppedByObjects(extension, found, around) ?? withRemedy(found, remedyOf(extension, around));
}

const withRemedy = (found: Diagnosis, todo: readonly Advice[]): Diagnosis =>
  todo.length === 0 ? found : diagnosis(found.code, found.standing, found.because, todo);

function stoppedByObjects(
  extension: KubernetesObject,
  seen: Diagnosis,
  around: ExtensionSurroundings,
): Diagnosis | undefined {
  const { because } = seen;
  const found = ownersInTheWay(extension, around.csvs, around.inTheWay);
  if (found.length === 0) return undefined;
  // Never advise deleting an object that another ClusterExtension may own.
  if (found.some(({ owner }) => owner.kind === 'unknown'))
    return diagnosis('objects-in-the-way', 'blocked', because, ADVICE.explainExtension(extension.metadata.name ?? ''));
  const todo = remedyInTheWay(extension, found);
  // One code for one cause, even if the objects in the way were not read: rows are computed without them.
  return todo === undefined
    ? diagnosis('objects-in-the-way', 'blocked', because, withRemedy(seen, remedyOf(extension, around)).todo)
    : diagnosis('objects-in-the-way', 'blocked', [...because, ...found.map(textInTheWay)], todo);
}

function remedyOf(extension: KubernetesObject, around: ExtensionSurroundings): readonly Advice[] {
  const read = ClusterExtension.safeParse(extension);
  if (!read.success) return [];
  const { message } = progressingMessage(extension);
  const name = extension.metadata.name ?? '';
  if (message.startsWith(`annotation ${ROLLBACK_KEY} `)) return [ADVICE.endRollback(name)];
  if (message.includes(`namespaces "${read.data.spec.namespace}" not found`))
    return [ADVICE.createNamespace(read.data.spec.namespace)];
  const crds = [...message.matchAll(/validating upgrade for CRD "([^"]+)":/g)].map(([, crd = '']) => crd);
  if (crds.length > 0)
    return [...[...new Set(crds)].map((crd) => ADVICE.saveBeforeChange(crd)), ADVICE.allowCrdChange(name)];
  if (isWayBack(read.data, message)) return wayBack(read.data, around);
  if (BUNDLE_AT_FAULT.test(message)) return [ADVICE.chooseBundle()];
  const configuration = watchRemedy(read.data, message);
  if (configuration.length > 0) return configuration;
  const off = catalogsToSwitchOn(read.data, message, around);
  return off.length > 0 ? off : packageRemedy(extension, message);
}

/** Texts of OLM v1 about bundles that it never installs. */
const BUNDLE_AT_FAULT =
  /\bunsupported (?:resource|bundle:)|\bcluster service (?:version|definition) (?:contains|references|strategy)|\bbundle contains duplicate|\bdefines an API of OLM/;

function watchRemedy({ metadata, spec }: ClusterExtension, message: string): readonly Advice[] {
  if (!message.includes('invalid ClusterExtension configuration')) return [];
  if (message.includes('unknown field "watchNamespace"')) {
    const fields = Object.keys(asRecord(asRecord(spec['config'])['inline']));
    return [
      ADVICE.removeWatchNamespace(
        metadata.name ?? '',
        fields.every((field) => field === 'watchNamespace'),
      ),
    ];
  }
  return message.includes('field "watchNamespace"') ? [ADVICE.setWatchNamespace(spec.namespace)] : [];
}

/**
 * Returns advice for a package that no catalog offers. If a version or a channel is missing, the message
 * names it.
 */
function packageRemedy(extension: KubernetesObject, message: string): readonly Advice[] {
  const packageName = /no bundles found for package "([^"]+)"(?! (?:matching|in channel))/.exec(message)?.[1];
  if (packageName === undefined) return [];
  const isInstalled = progressingMessage(extension).installed;
  return [
    ADVICE.addPackage(packageName),
    ...(isInstalled ? [] : [ADVICE.renamePackage(extension.metadata.name ?? '')]),
  ];
}

/**
 * True if the spec requests an earlier version than the installed one, and resolution finds no update to it.
 */
function isWayBack({ spec, status }: ClusterExtension, message: string): boolean {
  const { version = '', upgradeConstraintPolicy } = spec.source.catalog ?? {};
  if (upgradeConstraintPolicy === 'SelfCertified') return false;
  if (!message.startsWith('error upgrading from currently installed version')) return false;
  const [wanted, installed] = [version, status?.install?.bundle.version ?? ''].map((one) =>
    parseMastermindsVersion(one),
  );
  if (wanted === undefined || installed === undefined || 'error' in wanted || 'error' in installed) return false;
  return compareVersions(wanted, installed) < 0;
}

function wayBack({ metadata, spec }: ClusterExtension, { revisions = [] }: ExtensionSurroundings): readonly Advice[] {
  const name = metadata.name ?? '';
  const ofVersion = revisions
    .filter((one) => one.metadata.annotations?.[BUNDLE_VERSION_KEY] === spec.source.catalog?.version)
    .map((one) => Number(Object(one['spec']).revision))
    .filter(Number.isInteger);
  const kept = ofVersion.length === 0 ? [] : [ADVICE.holdAtRevision(name, Math.max(...ofVersion))];
  return [ADVICE.allowEarlierVersion(name), ...kept];
}

/** ClusterCatalogs that a user has switched off, and that its selector would take. */
function catalogsToSwitchOn(
  { spec }: ClusterExtension,
  message: string,
  { clusterCatalogs = [] }: ExtensionSurroundings,
): readonly Advice[] {
  if (!message.includes('no bundles found for package')) return [];
  const selects = readSelector(spec.source.catalog?.selector);
  if ('error' in selects) return [];
  const off = clusterCatalogs.filter(
    (one) => one.kind === CLUSTER_CATALOG_API.kind && isSwitchedOff(one) && selects(one.metadata.labels ?? {}),
  );
  if (off.length === 0) return [];
  return [...off.map((one) => ADVICE.makeCatalogAvailable(one.metadata.name ?? '')), ADVICE.correctExtensionCause()];
}
