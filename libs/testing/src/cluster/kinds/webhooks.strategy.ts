import type { ApiObject } from '../objects/api-object.js';
import { isObject, type JsonObject, objectAt } from '../objects/json.js';
import type { KindStrategy } from './kind-strategy.js';

/** Returns a reference to a Service, with the default port if it names none. */
export function withServicePort(config: unknown): unknown {
  const service = objectAt(config, 'service');
  if (!isObject(config) || service === undefined) return config;
  return { ...config, service: { port: 443, ...service } };
}

const withScopes = (rules: unknown): unknown =>
  Array.isArray(rules) ? rules.map((rule: unknown) => (isObject(rule) ? { scope: '*', ...rule } : rule)) : rules;

function webhook(value: unknown, extra: JsonObject): unknown {
  if (!isObject(value)) return value;
  const clientConfig = withServicePort(value.clientConfig);
  const rules = value.rules === undefined ? {} : { rules: withScopes(value.rules) };
  return {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...extra,
    ...value,
    ...rules,
    clientConfig,
  };
}

const configurations = (extra: JsonObject): KindStrategy => ({
  conditionalUpdates: true,
  defaults: (object: ApiObject) =>
    Array.isArray(object.webhooks)
      ? { ...object, webhooks: object.webhooks.map((value: unknown) => webhook(value, extra)) }
      : object,
});

export const validatingWebhooks = configurations({});
export const mutatingWebhooks = configurations({ reinvocationPolicy: 'Never' });

export const apiServices: KindStrategy = {
  conditionalUpdates: true,
  defaults: (object) => ({ ...object, spec: withServicePort(objectAt(object, 'spec') ?? {}) }),
};
