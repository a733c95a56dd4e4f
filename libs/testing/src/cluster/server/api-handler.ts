import { authorize } from '../access/authorizer.js';
import { attemptOf, type RequestTarget, requestTarget, verbOf } from '../access/request-target.js';
import type { Requester } from '../access/requester.js';
import { refuseUnanswered } from '../access/unanswered-webhooks.js';
import { type ApiObject, storageKey } from '../objects/api-object.js';
import { isObject, type JsonObject, stringAt } from '../objects/json.js';
import { badRequest, invalid, methodNotAllowed, noSuchResource, Refusal, required } from '../objects/refusal.js';
import { jsonPatch } from '../patches/json-patch.js';
import { mergePatch } from '../patches/merge-patch.js';
import { strategicMerge } from '../patches/strategic-merge.js';
import type { ResourceInfo, ScalePaths } from '../resources/resource-info.js';
import { keyOfResource } from '../resources/resource-registry.js';
import { isUnavailableApi } from '../state/aggregated-api.js';
import type { ClusterState } from '../state/cluster-state.js';
import { listBody, ObjectReader, selected, shownIn } from '../store/object-reader.js';
import {
  type DeleteOptions,
  ObjectWriter,
  type SimulatedWriteOptions,
  type WritePlace,
} from '../store/object-writer.js';
import { selectorOf } from '../store/selectors.js';
import { aggregatedDiscovery, aggregatedType } from './aggregated-discovery.js';
import { decodedBody, managerOf, mediaType, type SimulatedRequest, type SimulatedResponse } from './api-request.js';
import { discovery, versionsOfGroup } from './discovery.js';
import { openApi, openApiV2 } from './openapi.js';
import { type Representation, representationOf, shownList, shownObject } from './representation.js';
import { review } from './reviews.js';
import { scaled, scaleOf } from './scale.js';
import { versionInfo } from './version-info.js';

/** A watch that the owner of the connection opens. `token`: the token of its request. */
export type OpenWatch = Readonly<{ watch: WritePlace; form: Representation; token?: string }>;

/** Answer for paths outside every served group and version: the API server has no Status for them. */
const PAGE_NOT_FOUND: SimulatedResponse = { code: 404, body: '404 page not found\n' };
/** The answer of the aggregation layer for every path of an API if its backend is down. */
const SERVICE_UNAVAILABLE: SimulatedResponse = { code: 503, body: 'service unavailable\n' };

/** Answers the requests of one cluster; everything but watches is answered at once. */
export class ApiHandler {
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  constructor(readonly cluster: ClusterState) {
    this.reader = new ObjectReader(cluster);
    this.writer = new ObjectWriter(cluster);
  }

  handle(request: SimulatedRequest, user: Requester): SimulatedResponse | OpenWatch {
    if (isUnavailableApi(this.cluster, request.path)) return SERVICE_UNAVAILABLE;
    const target = requestTarget(request.path);
    if (target === undefined) return this.#nonResource(request);
    const verb = verbOf(request.method, target, request.query);
    authorize(this.cluster, user, attemptOf(target, verb, request.query));
    const info = this.cluster.resources.find(target.group, target.version, target.resource);
    if (info === undefined) {
      if (versionsOfGroup(target.group, this.cluster.resources).includes(target.version)) throw noSuchResource();
      return PAGE_NOT_FOUND;
    }
    refuseUnanswered(this.cluster, target, verb);
    return this.#onResource(request, target, info, user);
  }

  #nonResource({ path, method, headers }: SimulatedRequest): SimulatedResponse {
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
    if (path === '/version') return { code: 200, body: versionInfo(this.cluster.settings.version) };
    if (['/readyz', '/livez', '/healthz'].includes(path)) return { code: 200, body: 'ok' };
    const { resources, name } = this.cluster;
    const type = path === '/api' || path === '/apis' ? aggregatedType(headers.accept) : undefined;
    if (type !== undefined) return { code: 200, body: aggregatedDiscovery(path, type, resources), contentType: type };
    const v2 = openApiV2(path, headers.accept);
    if (v2 !== undefined) return v2;
    const document =
      discovery(path, resources) ??
      this.cluster.aggregatedApis.get(path) ??
      openApi(path, `/clusters/${name}`, resources);
    return document === undefined ? PAGE_NOT_FOUND : { code: 200, body: document };
  }

  #onResource(
    request: SimulatedRequest,
    target: RequestTarget,
    info: ResourceInfo,
    user: Requester,
  ): SimulatedResponse | OpenWatch {
    const { version, namespace, subresource } = target;
    if (subresource !== undefined && !info.subresources.includes(subresource)) throw noSuchResource();
    const place: WritePlace = {
      info,
      version,
      namespace,
      subresource: subresource === 'status' ? subresource : undefined,
    };
    const verb = verbOf(request.method, target, request.query);
    const form = representationOf(request.headers.accept);
    const include = request.query.get('includeObject');
    const scale = subresource === 'scale' ? info.scale(version) : undefined;
    if (scale !== undefined) return this.#scale(request, place, target, scale);
    if (subresource !== undefined && CONTAINER_SUBRESOURCES.has(subresource)) throw noContainers(this, place, target);
    if (verb === 'create') return this.#create(request, place, target, user);
    if (subresource === 'token') throw methodNotAllowed();
    if (!info.verbs.includes(verb)) throw methodNotAllowed();
    switch (verb) {
      case 'get':
        return { code: 200, body: shownObject(place, this.writer.get(place, target.name ?? ''), form, include) };
      case 'list':
        return { code: 200, body: shownList(place, this.reader.list(place, request.query), form, include) };
      case 'watch':
        return { watch: place, form };
      case 'update':
      case 'patch':
        return this.#change(request, place, target, user);
      default:
        return this.#delete(request, place, target.name);
    }
  }

  #create(request: SimulatedRequest, place: WritePlace, target: RequestTarget, user: Requester): SimulatedResponse {
    const sent = decodedBody(request);
    const reviewed = review(this.cluster, place.info, target, sent, user);
    if (reviewed !== undefined) return { code: 201, body: reviewed };
    if (target.name !== undefined) throw methodNotAllowed();
    const warnings: string[] = [];
    const object = this.writer.create(place, sent, writeOptions(request, 'CreateOptions', warnings));
    return { code: 201, body: shownIn(place, object), warnings };
  }

  #change(request: SimulatedRequest, place: WritePlace, target: RequestTarget, user: Requester): SimulatedResponse {
    const { name = '' } = target;
    const verb = verbOf(request.method, target, request.query);
    const warnings: string[] = [];
    const type = mediaType(request);
    if (verb === 'patch' && (type === 'application/apply-patch+yaml' || type === 'application/apply-patch+json')) {
      const there = this.cluster.storage.get(keyOfResource(place.info), storageKey(place.namespace, name));
      if (there === undefined) authorize(this.cluster, user, attemptOf(target, 'create', request.query));
      return this.#apply(request, place, name, warnings);
    }
    const options = writeOptions(request, verb === 'patch' ? 'PatchOptions' : 'UpdateOptions', warnings);
    const transform = verb === 'update' ? this.#replacement(request, place, name) : patchOf(request, place);
    const object = this.writer.update(place, name, (live) => transform(shownIn(place, live)), options);
    return { code: 200, body: shownIn(place, object), warnings };
  }

  #scale(request: SimulatedRequest, place: WritePlace, target: RequestTarget, paths: ScalePaths): SimulatedResponse {
    const { name = '' } = target;
    const verb = verbOf(request.method, target, request.query);
    if (verb === 'get') return { code: 200, body: scaleOf(this.writer.get(place, name), paths) };
    if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
    const kind = verb === 'patch' ? 'PatchOptions' : 'UpdateOptions';
    const options = { ...writeOptions(request, kind, []), trackedAs: 'scale' };
    const transform = verb === 'patch' ? patchOf(request, place) : () => decodedBody(request);
    const change = (live: ApiObject) =>
      scaled(shownIn(place, live), paths, transform(scaleOf(live, paths)), place.info);
    return { code: 200, body: scaleOf(this.writer.update(place, name, change, options), paths) };
  }

  #replacement(request: SimulatedRequest, place: WritePlace, name: string): () => unknown {
    const sent = decodedBody(request);
    this.writer.decode(place, sent, name);
    return () => sent;
  }

  #apply(request: SimulatedRequest, place: WritePlace, name: string, warnings: string[]): SimulatedResponse {
    if (!request.query.get('fieldManager')) {
      const cause = required('fieldManager', 'is required for apply patch');
      throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [cause]);
    }
    const force = request.query.get('force') === 'true';
    const options = { ...writeOptions(request, 'PatchOptions', warnings), force };
    const { object, created } = this.writer.apply(place, name, decodedBody(request), options);
    return { code: created ? 201 : 200, body: shownIn(place, object), warnings };
  }

  #delete(request: SimulatedRequest, place: WritePlace, name: string | undefined): SimulatedResponse {
    const options = deleteOptions(request);
    if (name === undefined) return this.#deleteCollection(request, place, options);
    const { object, gone } = this.writer.delete(place, name, options);
    if (!gone || place.info.returnsDeleted) return { code: 200, body: shownIn(place, object) };
    const group = place.info.group === '' ? {} : { group: place.info.group };
    const details = { name, ...group, kind: place.info.resource, uid: object.metadata.uid };
    return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
  }

  #deleteCollection(request: SimulatedRequest, place: WritePlace, options: DeleteOptions): SimulatedResponse {
    const objects = selected(this.cluster, place, selectorOf(request.query, place.info));
    for (const { metadata } of objects)
      this.writer.delete({ ...place, namespace: metadata.namespace }, metadata.name, options);
    return { code: 200, body: listBody(place, { revision: this.cluster.storage.revision, objects }) };
  }
}

/** Subresources that only a kubelet answers. */
const CONTAINER_SUBRESOURCES = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

function noContainers({ writer }: ApiHandler, place: WritePlace, { name = '', subresource }: RequestTarget): Refusal {
  writer.get(place, name);
  const message = `a simulated cluster runs no containers: pods/${subresource} of "${name}" has nothing to answer`;
  return new Refusal(501, 'NotImplemented', message);
}

function writeOptions(
  { query, ...request }: SimulatedRequest,
  kind: string,
  warnings: string[],
): SimulatedWriteOptions {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.some((value) => value !== 'All')) {
    const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
    throw invalid({ group: 'meta.k8s.io', kind }, '', [{ reason: 'FieldValueNotSupported', message, field: 'dryRun' }]);
  }
  const validation = query.get('fieldValidation');
  const fieldValidation = validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn';
  return { manager: managerOf({ query, ...request }), dryRun: dryRun.length > 0, fieldValidation, warnings };
}

function deleteOptions(request: SimulatedRequest): DeleteOptions {
  const decoded = request.body.length === 0 ? {} : decodedBody(request);
  const body: JsonObject = isObject(decoded) ? decoded : {};
  const policy =
    request.query.get('propagationPolicy') ??
    stringAt(body, 'propagationPolicy') ??
    (body.orphanDependents ? 'Orphan' : undefined);
  const dryRun = request.query.has('dryRun') || (Array.isArray(body.dryRun) && body.dryRun.length > 0);
  return {
    propagation: propagationOf(policy),
    uid: stringAt(body, 'preconditions', 'uid'),
    resourceVersion: stringAt(body, 'preconditions', 'resourceVersion'),
    dryRun,
  };
}

function propagationOf(policy: string | undefined): DeleteOptions['propagation'] {
  if (policy === undefined || policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') return policy;
  const message = `Unsupported value: "${policy}": supported values: "Background", "Foreground", "Orphan"`;
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
    { reason: 'FieldValueNotSupported', message, field: 'propagationPolicy' },
  ]);
}

function patchOf(request: SimulatedRequest, place: WritePlace): (live: unknown) => unknown {
  const patch = decodedBody(request);
  const type = mediaType(request);
  if (type === 'application/json-patch+json') return (live) => jsonPatch(live, patch);
  if (!isObject(patch)) throw badRequest('error decoding patch: the patch is not an object');
  if (type === 'application/merge-patch+json') return (live) => mergePatch(live, patch);
  if (type === 'application/strategic-merge-patch+json' && place.info.builtin) {
    const schema = place.info.mergeSchema(place.version);
    return (live) => strategicMerge(live, patch, schema);
  }
  const accepted = place.info.builtin
    ? 'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml'
    : 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  throw new Refusal(415, 'UnsupportedMediaType', message);
}
