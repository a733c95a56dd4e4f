import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../objects/json.js';
import { deduced } from '../schema/merge-schema.js';
import { type CompiledSchema, compiledSchema } from './crd-schema.js';
import type { PrinterColumn, ResourceInfo, ScalePaths } from './resource-info.js';

/** The API server's own order. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const versionsOf = (crd: ApiObject): readonly JsonObject[] => arrayAt(crd, 'spec', 'versions').filter(isObject);

/**
 * Kubernetes' order of versions: GA before beta before alpha, higher numbers first,
 * anything else last by name.
 */
export function byVersionPriority(a: string, b: string): number {
  const rank = (version: string) => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (match === null) return undefined;
    const level = { alpha: 1, beta: 2 }[match[2] ?? ''] ?? 3;
    return [level, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return byCodeUnit(a, b);
    return left === undefined ? 1 : -1;
  }
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

export const servedVersions = (crd: ApiObject): readonly string[] =>
  versionsOf(crd)
    .filter((version) => version.served === true)
    .flatMap((version) => stringAt(version, 'name') ?? [])
    .sort(byVersionPriority);

export const storageVersion = (crd: ApiObject): string =>
  stringAt(
    versionsOf(crd).find((version) => version.storage === true),
    'name',
  ) ?? '';

/** Returns the facts of a CustomResourceDefinition about its resource. */
export function customResourceInfo(crd: ApiObject): ResourceInfo {
  const names = objectAt(crd, 'spec', 'names') ?? {};
  const kind = stringAt(names, 'kind') ?? '';
  const strings = (field: string) => arrayAt(names, field).map(String);
  const byName = new Map(versionsOf(crd).map((version) => [stringAt(version, 'name') ?? '', version]));
  const subresources = new Set(
    versionsOf(crd).flatMap((version) => Object.keys(objectAt(version, 'subresources') ?? {})),
  );
  return {
    group: stringAt(crd, 'spec', 'group') ?? '',
    resource: stringAt(names, 'plural') ?? '',
    singular: stringAt(names, 'singular') ?? kind.toLowerCase(),
    kind,
    listKind: stringAt(names, 'listKind') ?? `${kind}List`,
    namespaced: stringAt(crd, 'spec', 'scope') !== 'Cluster',
    shortNames: strings('shortNames'),
    categories: strings('categories'),
    versions: servedVersions(crd),
    verbs: VERBS,
    subresources: ['scale', 'status'].filter((name) => subresources.has(name)),
    builtin: false,
    generation: true,
    returnsDeleted: false,
    selectableFields: [],
    mergeSchema: (version) => schemaOf(byName.get(version))?.merge ?? deduced,
    checkSchema: (version, object, live) =>
      schemaOf(byName.get(version))?.check(object, live) ?? { object, unknownFields: [], causes: [], warnings: [] },
    printerColumns: (version) => printerColumns(byName.get(version)),
    scale: (version) => scalePaths(byName.get(version)),
    openApiSchema: (version) => objectAt(byName.get(version), 'schema', 'openAPIV3Schema'),
  };
}

function scalePaths(version: JsonObject | undefined): ScalePaths | undefined {
  const scale = objectAt(version, 'subresources', 'scale');
  if (scale === undefined) return undefined;
  const path = (field: string) => stringAt(scale, field);
  return {
    specReplicas: path('specReplicasPath') ?? '.spec.replicas',
    statusReplicas: path('statusReplicasPath') ?? '.status.replicas',
    selector: path('labelSelectorPath'),
  };
}

function schemaOf(version: JsonObject | undefined): CompiledSchema | undefined {
  const schema = objectAt(version, 'schema', 'openAPIV3Schema');
  return schema === undefined ? undefined : compiledSchema(schema);
}

const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function printerColumns(version: JsonObject | undefined): readonly PrinterColumn[] {
  const columns = arrayAt(version, 'additionalPrinterColumns').filter(isObject);
  if (columns.length === 0) return [ageColumn];
  return columns.map((column) => {
    const format = stringAt(column, 'format');
    const priority = numberAt(column, 'priority');
    return {
      name: stringAt(column, 'name') ?? '',
      type: stringAt(column, 'type') ?? 'string',
      jsonPath: stringAt(column, 'jsonPath') ?? '',
      description: stringAt(column, 'description') ?? '',
      ...(format === undefined ? {} : { format }),
      ...(priority === undefined ? {} : { priority }),
    };
  });
}
