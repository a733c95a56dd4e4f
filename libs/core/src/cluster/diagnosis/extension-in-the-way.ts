import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import { ownedCrds } from '../../kernel/api/csv-facts.js';
import { KIND } from '../../kernel/api/kinds.js';
import { type KubernetesObject, type ObjectRef, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { progressingMessage } from './diagnose-conditions.js';

/** An object that stops a ClusterExtension, and its owner. */
type InTheWay = Readonly<{ ref: ObjectRef; owner: Owner }>;
/**
 * The owner of an object. `other`: no ClusterServiceVersion, or one that no longer exists. `unknown`: not
 * read.
 */
type Owner =
  | Readonly<{ kind: 'csv'; namespace: string; name: string }>
  | Readonly<{ kind: 'none' | 'other' | 'unknown' }>;

const COLLISION = /^Object ([^\s.]+)\.(\S+) ([^\s/]*)\/(\S+)\s+Action: "Collision"\s+Conflicting Owner: none/gm;
const CHANGED_CRD = /validating upgrade for CRD "([^"]+)":/g;
const MOST = 20;

/**
 * Returns objects that stop the extension and that it did not create. These are objects without a controller.
 * While nothing of the extension is installed, they include CRDs that its bundle would change unsafely.
 */
export function objectsInTheWay(extension: KubernetesObject): readonly ObjectRef[] {
  const { installed, message } = progressingMessage(extension);
  const collisions = [...message.matchAll(COLLISION)].map(
    ([, kind = '', apiVersion = '', namespace = '', name = '']) => ({
      ...{ apiVersion, kind, name },
      ...(namespace === '' ? {} : { namespace }),
    }),
  );
  const changed = installed
    ? []
    : [...message.matchAll(CHANGED_CRD)].map(([, name = '']) => ({ ...KIND.CustomResourceDefinition, name }));
  const all = new Map([...collisions, ...changed].map((ref) => [keyOf(ref), ref]));
  return [...all.values()].slice(0, MOST);
}

/** `live`: the existing objects among those in the way. Undefined if they were not read. */
export function ownersInTheWay(
  extension: KubernetesObject,
  csvs: readonly ClusterServiceVersion[],
  live: readonly KubernetesObject[] | undefined,
): readonly InTheWay[] {
  return objectsInTheWay(extension).map((ref) => ({ ref, owner: ownerOf(ref, csvs, live) }));
}

function ownerOf(
  ref: ObjectRef,
  csvs: readonly ClusterServiceVersion[],
  live: readonly KubernetesObject[] | undefined,
): Owner {
  const owning =
    ref.kind === KIND.CustomResourceDefinition.kind &&
    csvs.find((one) => ownedCrds(one).some(({ name }) => name === ref.name));
  if (owning) return { kind: 'csv', namespace: owning.metadata.namespace ?? '', name: owning.metadata.name ?? '' };
  if (live === undefined) return { kind: 'unknown' };
  const object = live.find(({ apiVersion, kind, metadata }) => keyOf({ apiVersion, kind, ...metadata }) === keyOf(ref));
  const references = object?.metadata.ownerReferences ?? [];
  const csv = references.find(({ kind }) => kind === CSV_API.kind);
  if (csv !== undefined) return { kind: 'csv', namespace: ref.namespace ?? '', name: csv.name };
  const labels = object?.metadata.labels ?? {};
  if (labels['olm.owner.kind'] === CSV_API.kind && labels['olm.owner'] && labels['olm.owner.namespace'])
    return { kind: 'csv', namespace: labels['olm.owner.namespace'], name: labels['olm.owner'] };
  return { kind: object === undefined || references.length > 0 ? 'other' : 'none' };
}

const keyOf = ({ apiVersion, kind, namespace = '', name = '' }: Readonly<Record<string, unknown>>): string =>
  `${kind}.${apiVersion} ${namespace}/${name}`;

/** Kinds that hold other objects or data. An advice never deletes one; CRDs have an advice of their own. */
const HOLDS_OTHERS: ReadonlySet<string> = new Set(['Namespace', 'PersistentVolume', 'PersistentVolumeClaim', 'Secret']);

/**
 * Returns advice for all objects in the way. Returns undefined if any of them has another owner or holds
 * data.
 */
export function remedyInTheWay(extension: KubernetesObject, found: readonly InTheWay[]): readonly Advice[] | undefined {
  if (found.some(({ ref, owner }) => owner.kind === 'other' || (owner.kind === 'none' && HOLDS_OTHERS.has(ref.kind))))
    return undefined;
  const crds = found.filter(({ ref }) => ref.kind === KIND.CustomResourceDefinition.kind).map(({ ref }) => ref.name);
  const csvs = new Map(found.flatMap(({ owner }) => (owner.kind === 'csv' ? [[keyOf(owner), owner] as const] : [])));
  const loose = found.filter(
    ({ ref, owner }) => owner.kind === 'none' && ref.kind !== KIND.CustomResourceDefinition.kind,
  );
  const isInstalled = progressingMessage(extension).installed;
  return [
    ...(csvs.size === 0 || isInstalled ? [] : [ADVICE.keepOwner(extension.metadata.name ?? '')]),
    ...crds.map((name) => ADVICE.saveObjects(name)),
    ...[...csvs.values()].map(({ namespace, name }) => ADVICE.uninstallOwner(namespace, name)),
    ...crds.map((name) => ADVICE.deleteCrd(name)),
    ...loose.map(({ ref }) => ADVICE.deleteInTheWay(resourceOf(ref), ref.name, ref.namespace)),
  ];
}

/** Returns a kind as kubectl accepts it: in lower case, with its group if it has one. */
function resourceOf({ apiVersion, kind }: ObjectRef): string {
  const { group } = splitApiVersion(apiVersion);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}`;
}

export function textInTheWay({ ref: { kind, namespace, name }, owner }: InTheWay): string {
  const which = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  if (owner.kind === 'csv')
    return `${which} belongs to ClusterServiceVersion ${owner.namespace}/${owner.name}; an object has only one owner.`;
  const left =
    kind === KIND.CustomResourceDefinition.kind
      ? 'an uninstalled operator left it, or a user created it'
      : 'a user created it';
  return `${which} exists already and no installed operator owns it: ${left}.`;
}
