import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../objects/json.js';
import { invalidValue, required, type StatusCause } from '../objects/refusal.js';
import { sharedSchema } from '../resources/crd-schema.js';
import { storageVersion } from '../resources/custom-resource-info.js';
import { timestamp } from '../state/cluster-state.js';
import type { KindStrategy } from './kind-strategy.js';
import { withServicePort } from './webhooks.strategy.js';

/** Holds a deleted definition until its objects are gone. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** CustomResourceDefinitions: defaults, and the checks of the API server that people meet. */
export const customResourceDefinitions: KindStrategy = {
  defaults: (crd) => {
    const spec = objectAt(crd, 'spec') ?? {};
    const names = objectAt(spec, 'names') ?? {};
    const kind = stringAt(names, 'kind') ?? '';
    return {
      ...crd,
      spec: {
        ...spec,
        conversion: conversion(objectAt(spec, 'conversion')),
        names: { ...names, listKind: names.listKind ?? `${kind}List`, singular: names.singular ?? kind.toLowerCase() },
        versions: Array.isArray(spec.versions) ? spec.versions.map(withSharedSchema) : spec.versions,
      },
    };
  },
  prepare: (crd, live) =>
    live === undefined
      ? {
          ...crd,
          status: { conditions: null, acceptedNames: { kind: '', plural: '' }, storedVersions: [storageVersion(crd)] },
        }
      : crd,
  markDeleted: (live) => ({
    ...live,
    metadata: { ...live.metadata, finalizers: [...new Set([...(live.metadata.finalizers ?? []), CLEANUP])] },
    status: { ...objectAt(live, 'status'), conditions: withTerminating(arrayAt(live, 'status', 'conditions')) },
  }),
  conditionalUpdates: true,
  validate: (crd, live) => [...nameFaults(crd), ...versionFaults(crd), ...storedVersionFaults(crd, live)],
};

function conversion(sent: JsonObject | undefined): JsonObject {
  const webhook = objectAt(sent, 'webhook');
  if (webhook === undefined) return sent ?? { strategy: 'None' };
  return { ...sent, webhook: { ...webhook, clientConfig: withServicePort(webhook.clientConfig) } };
}

function withTerminating(conditions: readonly unknown[]): readonly unknown[] {
  if (conditions.some((condition) => stringAt(condition, 'type') === 'Terminating')) return conditions;
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  const head = { type: 'Terminating', status: 'True', lastTransitionTime: timestamp() };
  return [...conditions, { ...head, reason: 'InstanceDeletionPending', message }];
}

function withSharedSchema(version: unknown): unknown {
  const schema = objectAt(version, 'schema', 'openAPIV3Schema');
  if (!isObject(version) || schema === undefined) return version;
  return { ...version, schema: { ...objectAt(version, 'schema'), openAPIV3Schema: sharedSchema(schema) } };
}

function nameFaults(crd: ApiObject): StatusCause[] {
  const plural = stringAt(crd, 'spec', 'names', 'plural') ?? '';
  const group = stringAt(crd, 'spec', 'group') ?? '';
  const scope = stringAt(crd, 'spec', 'scope') ?? '';
  const wanted = `${plural}.${group}`;
  const faults: StatusCause[] = [];
  if (crd.metadata.name !== wanted) {
    faults.push(invalidValue('metadata.name', crd.metadata.name, `must be spec.names.plural+"."+spec.group`));
  }
  if (group === '') faults.push(required('spec.group'));
  if (plural === '') faults.push(required('spec.names.plural'));
  if (!stringAt(crd, 'spec', 'names', 'kind')) faults.push(required('spec.names.kind'));
  if (scope === '') faults.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    const message = `Unsupported value: "${scope}": supported values: "Cluster", "Namespaced"`;
    faults.push({ reason: 'FieldValueNotSupported', message, field: 'spec.scope' });
  }
  return faults;
}

function versionFaults(crd: ApiObject): StatusCause[] {
  const versions = arrayAt(crd, 'spec', 'versions').filter(isObject);
  const stored = versions.filter((version) => version.storage === true);
  const faults: StatusCause[] = [];
  if (stored.length !== 1) {
    faults.push(
      invalidValue('spec.versions', versions.map(summary), 'must have exactly one version marked as storage version'),
    );
  }
  for (const [index, version] of versions.entries()) {
    const at = `spec.versions[${index}].schema.openAPIV3Schema`;
    const schema = objectAt(version, 'schema', 'openAPIV3Schema');
    if (schema === undefined) faults.push(required(at, 'schemas are required'));
    else if (schema.type !== 'object') {
      faults.push(invalidValue(`${at}.type`, schema.type ?? '', 'must be object at the root'));
    }
  }
  return faults;
}

const summary = ({ name, served, storage }: JsonObject): JsonObject => ({ name, served, storage });

function storedVersionFaults(crd: ApiObject, live: ApiObject | undefined): StatusCause[] {
  const known = arrayAt(crd, 'spec', 'versions').map((version) => stringAt(version, 'name'));
  return arrayAt(live, 'status', 'storedVersions').flatMap((stored, index) => {
    if (known.includes(String(stored))) return [];
    const why =
      `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage ` +
      `migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`;
    return [invalidValue(`status.storedVersions[${index}]`, stored, why)];
  });
}
