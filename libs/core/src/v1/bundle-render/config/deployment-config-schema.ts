import type { ConfigSchema } from './config-schema.js';
import { CORE_TYPES } from './core-types.js';

const SCALARS: ReadonlyMap<string, ConfigSchema> = new Map([
  ['string', { type: 'string' }],
  ['integer', { type: 'integer' }],
  ['boolean', { type: 'boolean' }],
]);
const QUANTITY: ConfigSchema = { oneOf: [{ type: 'string' }, { type: 'number' }] };

const TYPES: ReadonlyMap<string, ConfigSchema> = new Map([
  ['Quantity', QUANTITY],
  ...CORE_TYPES.trim()
    .split(/\n(?! )/)
    .map((line): [string, ConfigSchema] => {
      const [name = '', ...fields] = line.split(/\s+/);
      return [name, coreType(fields)];
    }),
]);

function coreType(fields: readonly string[]): ConfigSchema {
  const named = fields.map((field) => {
    const [key = '', type = ''] = field.split(':');
    return { key: key.replace('!', ''), required: key.endsWith('!'), type };
  });
  return {
    type: 'object',
    required: named.filter(({ required }) => required).map(({ key }) => key),
    properties: new Map(named.map(({ key, type }) => [key, fieldSchema(type)])),
  };
}

function coreRef(name: string): ConfigSchema {
  return { ref: () => TYPES.get(name) ?? { type: 'object' } };
}

function fieldSchema(type: string): ConfigSchema {
  if (type.startsWith('[')) return { type: 'array', items: fieldSchema(type.slice(1, -1)) };
  if (type.startsWith('{')) {
    const value = type.slice(1, -1);
    return { type: 'object', additionalProperties: SCALARS.get(value) ?? coreRef(value) };
  }
  return SCALARS.get(type) ?? { allOf: [coreRef(type)] };
}

const listOf = (name: string): ConfigSchema => ({ type: 'array', items: coreRef(name) });
const TEXT_MAP: ConfigSchema = { type: 'object', additionalProperties: { type: 'string' } };

/**
 * Settings for the Deployments of a bundle: OLM Classic's SubscriptionConfig without its selector (spec:
 * v1-apply.md §3).
 */
export const DEPLOYMENT_CONFIG_SCHEMA: ConfigSchema = {
  type: 'object',
  additionalProperties: false,
  properties: new Map([
    ['affinity', coreRef('Affinity')],
    ['annotations', TEXT_MAP],
    ['env', listOf('EnvVar')],
    ['envFrom', listOf('EnvFromSource')],
    ['nodeSelector', TEXT_MAP],
    ['resources', coreRef('ResourceRequirements')],
    ['tolerations', listOf('Toleration')],
    ['volumeMounts', listOf('VolumeMount')],
    ['volumes', listOf('Volume')],
  ]),
};
