import { randomUUID } from 'node:crypto';
import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import { badRequest, expired, tooLargeVersion } from '../objects/refusal.js';
import { keyOfResource } from '../resources/resource-registry.js';
import type { ClusterState } from '../state/cluster-state.js';
import type { WritePlace } from './object-writer.js';
import { type Selector, selectorOf } from './selectors.js';

const KEPT_PAGES = 16;
const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';

type Page = { revision: number; rest: readonly ApiObject[] };

export type ObjectPage = Readonly<{
  revision: number;
  objects: readonly ApiObject[];
  next?: string;
  remaining?: number;
}>;

/** Lists the objects of one cluster, page by page; later pages come from the state the first one saw. */
export class ObjectReader {
  readonly #pages = new Map<string, Page>();
  constructor(readonly cluster: ClusterState) {}

  list(place: WritePlace, query: URLSearchParams): ObjectPage {
    const token = query.get('continue');
    const page = token ? this.#continued(token) : this.#first(place, query);
    const limit = Number(query.get('limit') ?? 0);
    if (!Number.isInteger(limit) || limit < 0) throw badRequest(`invalid limit ${query.get('limit')}`);
    if (limit === 0 || page.rest.length <= limit) return { revision: page.revision, objects: page.rest };
    const rest = page.rest.slice(limit);
    const remaining = query.has('labelSelector') || query.has('fieldSelector') ? {} : { remaining: rest.length };
    return {
      revision: page.revision,
      objects: page.rest.slice(0, limit),
      next: this.#keep({ ...page, rest }),
      ...remaining,
    };
  }

  /** Ends the validity of all continue tokens so far. */
  forgetPages(): void {
    this.#pages.clear();
  }

  #first(place: WritePlace, query: URLSearchParams): Page {
    const { storage } = this.cluster;
    const wanted = Number(query.get('resourceVersion') ?? 0);
    if (!Number.isInteger(wanted))
      throw badRequest(`resourceVersion: Invalid value: "${query.get('resourceVersion')}"`);
    if (wanted > storage.revision) throw tooLargeVersion(wanted, storage.revision);
    if (query.get('resourceVersionMatch') === 'Exact' && wanted < storage.revision) {
      if (storage.changesSince(keyOfResource(place.info), wanted)?.length !== 0) {
        throw expired(`The provided resource version ${wanted} is too old`);
      }
    }
    return { revision: storage.revision, rest: selected(this.cluster, place, selectorOf(query, place.info)) };
  }

  #continued(token: string): Page {
    const decoded = Buffer.from(token, 'base64url').toString();
    if (!decoded.startsWith('page:')) throw badRequest('invalid continue token: continue key is not valid');
    const page = this.#pages.get(token);
    if (page === undefined) throw expired(TOO_OLD);
    return page;
  }

  #keep(page: Page): string {
    const token = Buffer.from(`page:${randomUUID()}`).toString('base64url');
    this.#pages.set(token, page);
    const oldest = this.#pages.keys().next().value;
    if (this.#pages.size > KEPT_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    return token;
  }
}

/** The stored objects at a place that a selector takes. */
export function selected(
  cluster: ClusterState,
  place: WritePlace,
  selector: Selector | undefined,
): readonly ApiObject[] {
  const all = cluster.storage.list(keyOfResource(place.info));
  if (place.namespace === undefined && selector === undefined) return all;
  return all.filter((object) => inPlace(place, object) && (selector?.(object) ?? true));
}

export const inPlace = (place: WritePlace, object: ApiObject): boolean =>
  place.namespace === undefined || object.metadata.namespace === place.namespace;

/**
 * The object as a version of its resource shows it: conversion None changes the apiVersion and nothing else.
 */
export function shownIn({ info, version }: WritePlace, object: ApiObject): ApiObject {
  const apiVersion = info.group === '' ? version : `${info.group}/${version}`;
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** The body of a list; items of built-in kinds leave apiVersion and kind out, as the API server does. */
export function listBody(place: WritePlace, page: ObjectPage): JsonObject {
  const { info, version } = place;
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.next === undefined && info.builtin ? {} : { continue: page.next ?? '' }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  const items = page.objects.map((object) => {
    if (!info.builtin) return shownIn(place, object);
    const { apiVersion: _, kind: __, ...rest } = object;
    return rest;
  });
  return { kind: info.listKind, apiVersion: info.group === '' ? version : `${info.group}/${version}`, metadata, items };
}
