import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import { listBody, type ObjectPage, shownIn } from '../store/object-reader.js';
import type { WritePlace } from '../store/object-writer.js';
import { partialMetadata, tableOf } from './table.js';

/** Form of objects that a client requests: by `as=` in its Accept header. */
export type Representation = 'object' | 'metadata' | 'table';

/** The first JSON form of the Accept header that is served. */
export function representationOf(accept: string | undefined): Representation {
  for (const form of (accept ?? '').split(',')) {
    if (!form.includes('json') || form.includes('v1beta1')) continue;
    if (form.includes('as=Table')) return 'table';
    if (form.includes('as=PartialObjectMetadata')) return 'metadata';
    return 'object';
  }
  return 'object';
}

export function shownObject(
  place: WritePlace,
  object: ApiObject,
  form: Representation,
  include: string | null,
): JsonObject {
  const shown = shownIn(place, object);
  if (form === 'metadata') return partialMetadata(shown);
  if (form === 'object') return shown;
  return tableOf(place, { revision: Number(object.metadata.resourceVersion), objects: [shown] }, include);
}

export function shownList(
  place: WritePlace,
  page: ObjectPage,
  form: Representation,
  include: string | null,
): JsonObject {
  if (form === 'table') {
    return tableOf(place, { ...page, objects: page.objects.map((object) => shownIn(place, object)) }, include);
  }
  const body = listBody(place, page);
  if (form === 'object') return body;
  const items = page.objects.map(partialMetadata);
  return { ...body, kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items };
}
