import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { ownedCrds } from '../csv/csv-facts.js';
import { ADVICE } from './advice.js';
import { diagnoseConditions, progressingMessage } from './diagnose-conditions.js';
import { type Diagnosis, diagnosis } from './diagnosis.js';

/** What else a cluster has that may be in the way of a ClusterExtension. */
export type ExtensionSurroundings = Readonly<{
  /** Without copies. */
  csvs: readonly ClusterServiceVersion[];
  /** CustomResourceDefinitions that its conditions name, as far as they were read. */
  crds?: readonly KubernetesObject[];
}>;

/** A ClusterExtension by its conditions; where CRDs that are not its own stop it, with their owners and the ways on. */
export function diagnoseExtension(extension: KubernetesObject, around: ExtensionSurroundings): Diagnosis {
  const found = diagnoseConditions(extension);
  const crds = crdsInTheWay(extension).map((name) => ({ name, ...ownerOf(name, around) }));
  if (crds.length === 0 || found.standing !== 'blocked') return found;
  const extensionName = extension.metadata.name ?? '';
  // Never advise to delete what another ClusterExtension may own.
  if (crds.some(({ owner }) => owner === 'unknown')) {
    return diagnosis('blocked', found.because, ADVICE.explainExtension(extensionName));
  }
  if (crds.some(({ owner }) => owner === 'other')) return found;
  const csvs = [...new Set(crds.flatMap(({ csv }) => (csv === undefined ? [] : [csv])))];
  return diagnosis(
    'blocked',
    [...found.because, ...crds.map(({ name, csv }) => ownerText(name, csv))],
    [
      ...(csvs.length === 0 ? [] : [ADVICE.keepOwner(extensionName)]),
      ...crds.map(({ name }) => ADVICE.saveObjects(name)),
      ...csvs.map(({ metadata }) => ADVICE.uninstallOwner(metadata.namespace ?? '', metadata.name ?? '')),
      ...crds.map(({ name }) => ADVICE.deleteCrd(name)),
    ],
  );
}

type Owner = Readonly<{ owner: 'csv' | 'none' | 'other' | 'unknown'; csv?: ClusterServiceVersion }>;

/** `other`: an object that is no ClusterServiceVersion; `unknown`: the CRD was not read. */
function ownerOf(crd: string, { csvs, crds }: ExtensionSurroundings): Owner {
  const csv = csvs.find((one) => ownedCrds(one).some(({ name }) => name === crd));
  if (csv !== undefined) return { owner: 'csv', csv };
  if (crds === undefined) return { owner: 'unknown' };
  const found = crds.find(({ metadata }) => metadata.name === crd);
  const isControlled = found?.metadata.ownerReferences?.some(({ controller }) => controller === true);
  return { owner: isControlled ? 'other' : 'none' };
}

/**
 * CRDs that stop the extension and that it did not make: those without a controller, and, while nothing of it is installed,
 * those that its bundle would change in a way that is not safe.
 */
export function crdsInTheWay(extension: KubernetesObject): string[] {
  const { installed, message } = progressingMessage(extension);
  const owned = [
    ...message.matchAll(
      /Object CustomResourceDefinition\.apiextensions\.k8s\.io\/v1 \/(\S+)\s+Action: "Collision"\s+Conflicting Owner: none/g,
    ),
  ];
  const changed = installed ? [] : [...message.matchAll(/validating upgrade for CRD "([^"]+)":/g)];
  return [...new Set([...owned, ...changed].map(([, name = '']) => name))];
}

function ownerText(crd: string, csv: ClusterServiceVersion | undefined): string {
  if (csv === undefined) {
    return `CustomResourceDefinition ${crd} is there already, and no installed operator owns it: an uninstalled one has left it, or a user created it.`;
  }
  const { name = '', namespace = '' } = csv.metadata;
  return `CustomResourceDefinition ${crd} belongs to ClusterServiceVersion ${namespace}/${name}, and each has one owner.`;
}
