import { z } from 'zod';
import { FleetAssignmentStatus } from '../../kernel/api/fleet/fleet-assignment.js';
import { FleetCatalogStatusFields } from '../../kernel/api/fleet/fleet-catalog.js';
import { FleetClusterStatusFields } from '../../kernel/api/fleet/fleet-cluster.js';
import { FleetClusterSourceStatus } from '../../kernel/api/fleet/fleet-cluster-source.js';
import { FleetDecisionStatus } from '../../kernel/api/fleet/fleet-decision.js';
import { type FieldRule, FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { type AnyFleetKind } from '../../kernel/api/fleet/fleet-kinds.js';
import { FleetNotificationStatus } from '../../kernel/api/fleet/fleet-notification.js';
import { FleetOperatorStatus, NAME_OF_CATALOG } from '../../kernel/api/fleet/fleet-operator.js';
import { FleetRolloutStatus } from '../../kernel/api/fleet/fleet-rollout.js';
import { FleetStrategyStatus } from '../../kernel/api/fleet/fleet-strategy.js';
import { FleetWindowStatus } from '../../kernel/api/fleet/fleet-window.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { fieldDescription } from './descriptions/field-descriptions.js';
import { specSchema } from './read-fleet-object.js';

type JsonSchema = Readonly<Record<string, unknown>>;
type Column = Readonly<{ name: string; type: string; jsonPath: string }>;
type Names = Readonly<{ plural: string; short: string; scope: 'Namespaced' | 'Cluster'; columns: readonly Column[] }>;

const text = (name: string, jsonPath: string): Column => ({ name, type: 'string', jsonPath });
/** The status of a condition. */
const condition = (name: string, type: string): Column => text(name, `.status.conditions[?(@.type=="${type}")].status`);
const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const NAMES: Readonly<Record<AnyFleetKind, Names>> = {
  FleetCluster: {
    plural: 'fleetclusters',
    short: 'fcl',
    scope: 'Cluster',
    columns: [
      text('Version', '.status.version'),
      condition('Reachable', 'Reachable'),
      condition('Acting', 'Managed'),
      { name: 'Operators', type: 'integer', jsonPath: '.status.operators' },
      AGE,
    ],
  },
  FleetClusterSource: {
    plural: 'fleetclustersources',
    short: 'fcs',
    scope: 'Cluster',
    columns: [
      text('From', '.spec.from'),
      text('Namespace', '.spec.namespace'),
      { name: 'Clusters', type: 'integer', jsonPath: '.status.clusters' },
      { name: 'Refused', type: 'integer', jsonPath: '.status.refusedCount' },
      { name: 'Left', type: 'integer', jsonPath: '.status.leftCount' },
      condition('Ready', 'Ready'),
      AGE,
    ],
  },
  FleetNotification: {
    plural: 'fleetnotifications',
    short: 'fnot',
    scope: 'Cluster',
    columns: [
      text('Receivers', '.spec.receivers[*].name'),
      condition('Ready', 'Ready'),
      text('Reason', '.status.conditions[?(@.type=="Ready")].reason'),
      AGE,
    ],
  },
  FleetCatalog: {
    plural: 'fleetcatalogs',
    short: 'fcat',
    scope: 'Namespaced',
    columns: [
      text('Image', '.spec.image'),
      text('Digest', '.status.current'),
      text('Clusters', '.status.clusters'),
      condition('Ready', 'Ready'),
      AGE,
    ],
  },
  FleetOperator: {
    plural: 'fleetoperators',
    short: 'fop',
    scope: 'Namespaced',
    columns: [
      text('Package', '.spec.package'),
      text('Version', '.status.versions[0].bundle'),
      text('Done', '.status.done'),
      text('Failed', '.status.counts.failed'),
      text('State', '.status.conditions[?(@.type=="Progressing")].reason'),
      condition('Resolved', 'Resolved'),
      AGE,
    ],
  },
  FleetStrategy: {
    plural: 'fleetstrategies',
    short: 'fst',
    scope: 'Namespaced',
    columns: [condition('Valid', 'Valid'), AGE],
  },
  FleetWindow: {
    plural: 'fleetwindows',
    short: 'fwin',
    scope: 'Cluster',
    columns: [
      text('Type', '.spec.type'),
      text('Active', '.status.active'),
      text('Next', '.status.nextStart'),
      text('Clusters', '.status.clusters'),
      condition('Valid', 'Valid'),
      AGE,
    ],
  },
  FleetDecision: {
    plural: 'fleetdecisions',
    short: 'fdec',
    scope: 'Namespaced',
    columns: [
      text('Rollout', '.spec.rollout'),
      text('Action', '.spec.action'),
      text('By', '.spec.by.user'),
      text('Effective', '.status.effective'),
      AGE,
    ],
  },
  FleetRollout: {
    plural: 'fleetrollouts',
    short: 'fro',
    scope: 'Namespaced',
    columns: [
      text('Subject', '.spec.subject.name'),
      text('Target', '.spec.target.bundle'),
      text('Phase', '.status.phase'),
      text('Wave', '.status.wave'),
      text('Done', '.status.counts.done'),
      text('Failed', '.status.counts.failed'),
      text('Reason', '.status.reason'),
      AGE,
    ],
  },
  FleetPlan: { plural: 'fleetplans', short: 'fpl', scope: 'Namespaced', columns: [text('Hash', '.spec.hash'), AGE] },
  FleetAssignment: {
    plural: 'fleetassignments',
    short: 'fas',
    scope: 'Cluster',
    columns: [
      text('Rows', '.status.counts.rows'),
      text('Active', '.status.counts.active'),
      text('Failed', '.status.counts.failed'),
      AGE,
    ],
  },
};

/** Kinds with a status of declared fields. Other statuses are kept unchanged. */
const STATUSES: Partial<Readonly<Record<AnyFleetKind, z.ZodType>>> = {
  FleetCluster: FleetClusterStatusFields,
  FleetClusterSource: FleetClusterSourceStatus,
  FleetNotification: FleetNotificationStatus,
  FleetCatalog: FleetCatalogStatusFields,
  FleetOperator: FleetOperatorStatus,
  FleetRollout: FleetRolloutStatus,
};
/** Kinds with a status that is declared for readers alone. An API server accepts any other field, too. */
const LOOSE_STATUSES: Partial<Readonly<Record<AnyFleetKind, z.ZodType>>> = {
  FleetStrategy: FleetStrategyStatus,
  FleetWindow: FleetWindowStatus,
  FleetDecision: FleetDecisionStatus,
  FleetAssignment: FleetAssignmentStatus,
};
const KEPT_AS_IT_IS = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * Returns the schema of a status. None of its fields is required: a status is derived, and a status of
 * another release may lack some. Unknown fields at its top are kept.
 */
function statusSchema(kind: AnyFleetKind): JsonSchema {
  const schema = STATUSES[kind];
  if (schema === undefined) return looseStatus(kind);
  const { required: _required, ...rest } = structural(z.toJSONSchema(schema) as JsonSchema);
  return { ...rest, ...KEPT_AS_IT_IS };
}

/** Types of the fields of a status; of any object, unknown fields are kept and none is required. */
function looseStatus(kind: AnyFleetKind): JsonSchema {
  const schema = LOOSE_STATUSES[kind];
  return schema === undefined ? KEPT_AS_IT_IS : typesOnly(structural(z.toJSONSchema(schema) as JsonSchema));
}

function typesOnly({ type, properties, items }: JsonSchema): JsonSchema {
  if (properties !== undefined) {
    const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
    return { ...KEPT_AS_IT_IS, properties: Object.fromEntries(fields.map(([name, one]) => [name, typesOnly(one)])) };
  }
  return { type, ...(items === undefined ? {} : { items: typesOnly(items as JsonSchema) }) };
}

/** `kubectl get flotilla` lists the objects of all fleet kinds. */
const CATEGORY = 'flotilla';

/** Returns the definition of a fleet kind: its schema in the form that an API server accepts. */
export function fleetCrd(kind: AnyFleetKind): KubernetesObject {
  const { plural, short, scope, columns } = NAMES[kind];
  const [group = '', version = ''] = FLEET_API.split('/');
  const singular = kind.toLowerCase();
  const names = { kind, listKind: `${kind}List`, plural, singular, shortNames: [short], categories: [CATEGORY] };
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: described(kind, 'spec', structural(specSchema(kind) as JsonSchema)),
    status: described(kind, 'status', statusSchema(kind)),
  };
  return {
    ...KIND.CustomResourceDefinition,
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names,
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: wholeSchema(kind, properties) },
        },
      ],
    },
  };
}

const wholeSchema = (kind: AnyFleetKind, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  description: fieldDescription(kind, ''),
  type: 'object',
  required: ['spec'],
  properties,
  ...wholeRules(kind),
});

/** Adds the descriptions of a field and of all below it. A default is part of the description. */
function described(kind: AnyFleetKind, path: string, schema: JsonSchema): JsonSchema {
  const { properties, items, ...rest } = schema;
  const text = fieldDescription(kind, path);
  const whole = text === undefined ? {} : { description: `${text}${defaultText(text, schema['default'])}` };
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  return {
    ...whole,
    ...rest,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(fields.map(([name, one]) => [name, described(kind, `${path}.${name}`, one)])),
        }),
    ...(items === undefined ? {} : { items: describedItems(kind, path, items as JsonSchema) }),
  };
}

/** Fields of the items of a list; the list itself has the description. */
function describedItems(kind: AnyFleetKind, path: string, items: JsonSchema): JsonSchema {
  const { description: _ofTheList, ...rest } = described(kind, `${path}[]`, items);
  return rest;
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const defaultText = (text: string, value: unknown): string =>
  value === undefined || isEmpty(value) || text.includes('Default:') ? '' : ` Default: ${String(value)}.`;

/** Keys of JSON schema that a CRD does not take. */
const DROPPED = new Set(['$schema', 'additionalProperties', 'anyOf', 'propertyNames', 'const', 'allOf', 'pattern']);

/** Returns rules about the name of an object. They belong to the root of the schema. */
function wholeRules(kind: AnyFleetKind): JsonSchema {
  const rule = WHOLE_RULES[kind];
  return rule === undefined ? {} : { [RULES]: [rule] };
}

const WHOLE_RULES: Partial<Readonly<Record<AnyFleetKind, FieldRule>>> = {
  FleetOperator: { rule: "!self.metadata.name.startsWith('catalog-')", message: NAME_OF_CATALOG },
  FleetClusterSource: { rule: 'self.metadata.name.size() <= 63', message: 'the name must have at most 63 characters' },
};

const RULES = 'x-kubernetes-validations';
const serverRules = (rules: readonly FieldRule[]) => rules.map(({ rule, message }) => ({ rule, message }));

/** A JSON schema in the structural form of CRDs: unions of a number and a text become int-or-string. */
function structural(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, anyOf, pattern } = schema;
  const kept = Object.entries(schema).filter(([key]) => !DROPPED.has(key) && key !== 'properties' && key !== 'items');
  const isSchema = typeof additionalProperties === 'object' && additionalProperties !== null;
  // Any fields next to named ones. A CRD accepts no map in addition to named fields.
  const isLoose = isSchema && Object.keys(additionalProperties).length === 0;
  const keepsAll = isLoose || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...Object.fromEntries(kept),
    ...(RULES in schema ? { [RULES]: serverRules(schema[RULES] as readonly FieldRule[]) } : {}),
    ...(Array.isArray(anyOf) ? { 'x-kubernetes-int-or-string': true, ...boundsOf(anyOf) } : {}),
    // The pattern of a time is that of its format.
    ...(pattern === undefined || schema['format'] !== undefined ? {} : { pattern }),
    ...(isSchema && !keepsAll ? { additionalProperties: structural(additionalProperties as JsonSchema) } : {}),
    ...(keepsAll ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(properties === undefined ? {} : { properties: mapped(properties as Readonly<Record<string, JsonSchema>>) }),
    ...(items === undefined ? {} : { items: structural(items as JsonSchema) }),
  };
}

/** Bounds of a number and the pattern of a text hold for values of their own type alone. */
function boundsOf(parts: readonly JsonSchema[]): JsonSchema {
  const { minimum } = parts.find(({ type }) => type === 'integer') ?? {};
  const { pattern } = parts.find(({ type }) => type === 'string') ?? {};
  return { ...(minimum === undefined ? {} : { minimum }), ...(pattern === undefined ? {} : { pattern }) };
}

const mapped = (properties: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, structural(inner)]));
