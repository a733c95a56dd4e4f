import type { KubernetesObject } from '../api/kubernetes-object.js';
import { canonicalJson } from '../canonical/canonical-json.js';
import { type CrdVersion, crdVersions } from './crd-versions.js';
import { asRecord, asText } from './loose-value.js';

type Versions = ReadonlyMap<string, CrdVersion>;

const byName = (crd: KubernetesObject): Versions => new Map(crdVersions(crd).map((version) => [version.name, version]));

const storageOf = (versions: Versions): string => [...versions.values()].find(({ storage }) => storage)?.name ?? '';

const conversionOf = (crd: KubernetesObject): string =>
  asText(asRecord(asRecord(crd['spec'])['conversion'])['strategy']) || 'None';

function changesOf(before: CrdVersion, after: CrdVersion): string[] {
  const { name } = before;
  return [
    ...(before.served && !after.served ? [`no longer serves ${name}`] : []),
    ...(!before.served && after.served ? [`serves ${name}`] : []),
    ...(canonicalJson(before.schema ?? {}) === canonicalJson(after.schema ?? {})
      ? []
      : [`changes the schema of ${name}`]),
  ];
}

/** What replacing the CRD changes for those who use it, in words, version by version in the order of the CRDs. */
export function crdChanges(current: KubernetesObject, next: KubernetesObject): string[] {
  const [before, after] = [byName(current), byName(next)];
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `adds ${name}`);
  const kept = [...before].flatMap(([name, version]) => {
    const later = after.get(name);
    return later === undefined ? [`removes ${name}`] : changesOf(version, later);
  });
  const [stored, storedLater] = [storageOf(before), storageOf(after)];
  const [converted, convertedLater] = [conversionOf(current), conversionOf(next)];
  return [
    ...added,
    ...kept,
    ...(stored === storedLater ? [] : [`stores ${storedLater} instead of ${stored}`]),
    ...(converted === convertedLater ? [] : [`converts by ${convertedLater} instead of ${converted}`]),
  ];
}
