import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

type Json = Readonly<Record<string, unknown>>;

const TEXTS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'];
const MAPS = ['labels', 'annotations'];
const OWNER_TEXTS = ['apiVersion', 'kind', 'name', 'uid'];
const OWNER_FLAGS = ['controller', 'blockOwnerDeletion'];

/**
 * True if the value certainly satisfies the schema of KubernetesObject. If false, the schema decides: it
 * copies the object and takes many times as long, and each answer and event of a cluster is checked.
 */
export function isWellFormedObject(value: unknown): value is KubernetesObject {
  if (!isPlain(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return false;
  const { metadata } = value;
  if (!isPlain(metadata)) return false;
  const { generation, creationTimestamp, finalizers, ownerReferences } = metadata;
  return (
    TEXTS.every((field) => isTextOrAbsent(metadata[field])) &&
    MAPS.every((field) => isAbsentOr(metadata[field], isMapOfTexts)) &&
    (generation === undefined || Number.isInteger(generation)) &&
    (creationTimestamp === null || isTextOrAbsent(creationTimestamp)) &&
    isAbsentOr(finalizers, (list) => Array.isArray(list) && list.every(isText)) &&
    isAbsentOr(ownerReferences, (list) => Array.isArray(list) && list.every(isOwner))
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isAbsentOr = (value: unknown, check: (value: unknown) => boolean): boolean => value === undefined || check(value);
const isMapOfTexts = (value: unknown): boolean => isPlain(value) && Object.values(value).every(isText);

const isOwner = (value: unknown): boolean =>
  isPlain(value) &&
  OWNER_TEXTS.every((field) => isText(value[field])) &&
  OWNER_FLAGS.every((field) => isAbsentOr(value[field], (flag) => typeof flag === 'boolean'));

/** True for an object of JSON without a key `__proto__`: the schema leaves this key out of its copy. */
const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__');
