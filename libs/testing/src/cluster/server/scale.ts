import type { ApiObject } from '../objects/api-object.js';
import { at, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../objects/json.js';
import { badRequest, invalid, invalidValue } from '../objects/refusal.js';
import type { ResourceInfo, ScalePaths } from '../resources/resource-info.js';

const fieldsOf = (path: string): string[] => path.split('.').filter((field) => field !== '');

/** The selector of a workload as text; custom resources keep it as text themselves. */
function selectorText(object: ApiObject, paths: ScalePaths): string {
  const found = paths.selector === undefined ? undefined : at(object, ...fieldsOf(paths.selector));
  if (typeof found === 'string') return found;
  const labels = Object.entries(objectAt(found, 'matchLabels') ?? {});
  return labels.map(([key, value]) => `${key}=${value}`).join(',');
}

/**
 * Returns the Scale of an object: its desired and present number of replicas, and the labels that select
 * them.
 */
export function scaleOf(object: ApiObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const wanted = numberAt(object, ...fieldsOf(paths.specReplicas)) ?? 0;
  const selector = selectorText(object, paths);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: {
      replicas: numberAt(object, ...fieldsOf(paths.statusReplicas)) ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** The object with the replicas of a sent Scale. */
export function scaled(object: ApiObject, paths: ScalePaths, sent: unknown, { group, kind }: ResourceInfo): ApiObject {
  if (!isObject(sent) || stringAt(sent, 'kind') !== 'Scale') {
    throw badRequest('the object provided is unrecognized (must be of type Scale)');
  }
  const { name } = object.metadata;
  const wanted = at(sent, 'spec', 'replicas') ?? 0;
  if (typeof wanted !== 'number' || !Number.isInteger(wanted)) {
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas is not an integer');
  }
  if (wanted < 0) {
    const why = 'must be greater than or equal to 0';
    throw invalid({ group, kind }, name, [invalidValue('spec.replicas', wanted, why)]);
  }
  const resourceVersion = stringAt(sent, 'metadata', 'resourceVersion');
  const metadata = { ...object.metadata, resourceVersion: resourceVersion || object.metadata.resourceVersion };
  return { ...(withField(object, fieldsOf(paths.specReplicas), wanted) as ApiObject), metadata };
}

function withField(value: unknown, [field, ...rest]: readonly string[], to: number): unknown {
  if (field === undefined) return to;
  const object = isObject(value) ? value : {};
  return { ...object, [field]: withField(object[field], rest, to) };
}
