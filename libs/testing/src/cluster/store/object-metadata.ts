import { randomInt, randomUUID } from 'node:crypto';
import type { ApiObject, ObjectMetadata } from '../objects/api-object.js';
import { equal, isObject, type JsonObject } from '../objects/json.js';
import { badRequest, invalidValue, required, type StatusCause } from '../objects/refusal.js';
import type { ResourceInfo } from '../resources/resource-info.js';
import { timestamp } from '../state/cluster-state.js';

const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_GENERATED_PREFIX = 58;

const generatedName = (prefix: string): string =>
  prefix.slice(0, MAX_GENERATED_PREFIX) +
  Array.from({ length: 5 }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join('');

/** Fields that only the server writes; a client's values for them are replaced by the stored ones. */
const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'resourceVersion',
  'namespace',
  'name',
] as const;

/** Leaves out the metadata members that Go's `omitempty` would leave out. */
export function tidied(metadata: ObjectMetadata): ObjectMetadata {
  const kept = Object.entries(metadata).filter(([, value]) => {
    if (value === null || value === undefined || value === '') return false;
    if (Array.isArray(value)) return value.length > 0;
    return !isObject(value) || Object.keys(value).length > 0;
  });
  return { ...Object.fromEntries(kept), name: metadata.name } as ObjectMetadata;
}

/** The metadata of a new object: named, dated, with a uid of its own. */
export function newMetadata(info: ResourceInfo, namespace: string | undefined, sent: ObjectMetadata): ObjectMetadata {
  const { uid: _, resourceVersion: __, deletionTimestamp: ___, deletionGracePeriodSeconds: ____, ...rest } = sent;
  const name = sent.name || (sent.generateName ? generatedName(sent.generateName) : '');
  return tidied({
    ...rest,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: randomUUID(),
    resourceVersion: '0',
    creationTimestamp: timestamp(),
    ...(info.generation ? { generation: 1 } : { generation: undefined }),
  } as ObjectMetadata);
}

/**
 * Returns the metadata of an update: the client's labels, annotations and the like over the server's own
 * fields.
 */
export function updatedMetadata(live: ObjectMetadata, sent: ObjectMetadata): ObjectMetadata {
  const result: JsonObject = { ...sent };
  for (const field of SERVER_FIELDS) {
    if (live[field] === undefined) delete result[field];
    else result[field] = live[field];
  }
  return tidied(result as ObjectMetadata);
}

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NAME_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_KEY = /^([a-z0-9.-]+\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_KEY_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const MAX_LABEL_VALUE = 63;

/** Keys and values of all annotations together, in bytes (k8s.io/apimachinery, `ValidateAnnotationsSize`). */
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** RBAC names may hold colons and anything else that fits into a path. */
const freeNames = (info: ResourceInfo) => info.group === 'rbac.authorization.k8s.io' || info.kind === 'Event';

/** Every fault of an object's metadata, as the API server names it. */
export function metadataFaults(info: ResourceInfo, metadata: ObjectMetadata): StatusCause[] {
  if (metadata.name === '') return [required('metadata.name', 'name or generateName is required')];
  const badName = !freeNames(info) && (!NAME.test(metadata.name) || metadata.name.length > 253);
  return [
    ...(badName ? [invalidValue('metadata.name', metadata.name, NAME_RULE)] : []),
    ...Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => labelFaults(key, value)),
    ...annotationFaults(metadata.annotations ?? {}),
    ...(metadata.ownerReferences ?? []).flatMap((owner, index) =>
      owner.uid ? [] : [required(`metadata.ownerReferences[${index}].uid`, 'must not be empty')],
    ),
  ];
}

function annotationFaults(annotations: Readonly<Record<string, string>>): StatusCause[] {
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes <= MOST_ANNOTATION_BYTES) return [];
  const message = `Too long: may not be more than ${MOST_ANNOTATION_BYTES} bytes`;
  return [{ reason: 'FieldValueTooLong', message, field: 'metadata.annotations' }];
}

function labelFaults(key: string, value: string): StatusCause[] {
  const faults: StatusCause[] = [];
  if (!LABEL_KEY.test(key)) faults.push(invalidValue('metadata.labels', key, LABEL_KEY_RULE));
  if (value.length > MAX_LABEL_VALUE) {
    faults.push(invalidValue('metadata.labels', value, `must be no more than ${MAX_LABEL_VALUE} bytes`));
  } else if (!LABEL_VALUE.test(value)) faults.push(invalidValue('metadata.labels', value, LABEL_VALUE_RULE));
  return faults;
}

const absent = (value: unknown) => value === undefined || value === null;
const stringMap = (value: unknown) =>
  absent(value) || (isObject(value) && Object.values(value).every((inner) => typeof inner === 'string'));
const text = (value: unknown) => absent(value) || typeof value === 'string';
const list = (value: unknown) => absent(value) || Array.isArray(value);

/** Required shape of each member of metadata: otherwise it cannot be decoded. */
const METADATA_SHAPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: text,
  namespace: text,
  generateName: text,
  uid: text,
  resourceVersion: text,
  labels: stringMap,
  annotations: stringMap,
  finalizers: list,
  ownerReferences: list,
  managedFields: list,
};

function decodedMetadata(info: ResourceInfo, version: string, sent: unknown): ObjectMetadata {
  const metadata = sent ?? {};
  const wrong = (what: string) =>
    badRequest(
      `${info.kind} in version "${version}" cannot be handled as a ${info.kind}: json: cannot unmarshal into Go struct field ${what}`,
    );
  if (!isObject(metadata)) throw wrong(`${info.kind}.metadata`);
  for (const [field, fits] of Object.entries(METADATA_SHAPE)) {
    if (!fits(metadata[field])) throw wrong(`ObjectMeta.metadata.${field}`);
  }
  return tidied({ ...metadata, name: metadata.name ?? '' } as ObjectMetadata);
}

/** Returns a sent object with its kind and metadata checked; a wrong shape there cannot even be decoded. */
export function decodedObject(info: ResourceInfo, version: string, sent: unknown): ApiObject {
  const unrecognized = `the object provided is unrecognized (must be of type ${info.kind})`;
  if (!isObject(sent)) throw badRequest(unrecognized);
  const apiVersion = info.group === '' ? version : `${info.group}/${version}`;
  const kind = sent.kind ?? (info.builtin ? info.kind : undefined);
  const sentVersion = sent.apiVersion ?? (info.builtin ? apiVersion : undefined);
  if (kind === undefined || sentVersion === undefined) throw badRequest(`${unrecognized}: Object 'Kind' is missing`);
  if (kind !== info.kind) {
    const said = `${String(kind)} in version "${String(sentVersion).split('/').at(-1)}"`;
    throw badRequest(`${said} cannot be handled as a ${info.kind}: unknown conversion`);
  }
  if (sentVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(sentVersion)}) does not match the expected API version (${apiVersion})`,
    );
  }
  return { ...sent, apiVersion, kind: info.kind, metadata: decodedMetadata(info, version, sent.metadata) };
}

/** True if something else than metadata and status differs: this bumps metadata.generation. */
export function specChanged(live: ApiObject, next: ApiObject, withStatus: boolean): boolean {
  const fields = new Set([...Object.keys(live), ...Object.keys(next)]);
  fields.delete('metadata');
  fields.delete('apiVersion');
  if (withStatus) fields.delete('status');
  return [...fields].some((field) => !equal(live[field], next[field]));
}
