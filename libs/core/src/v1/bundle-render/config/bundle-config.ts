import { z } from 'zod';
import { SubscriptionConfig } from '../../../catalog/bundle/subscription-config.js';
import { readForeign } from '../../../kernel/verdict/read-foreign.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';
import { type RegistryBundle, supportedInstallModes } from '../bundle/registry-bundle.js';
import type { RenderFeatureGates, RenderRefusal, RenderRequest } from '../bundle/render-request.js';
import { type ConfigSchema, checkSchema, failureDetails, failureTexts, type TextFormat } from './config-schema.js';
import { DEPLOYMENT_CONFIG_SCHEMA } from './deployment-config-schema.js';

/** The content of spec.config.inline of a ClusterExtension. */
type BundleConfig = Readonly<{
  watchNamespace?: string | undefined;
  deploymentConfig?: SubscriptionConfig | undefined;
}>;

const NAMESPACE = { type: 'string', minLength: 1, maxLength: 63, pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/ } as const;

const Config = z.looseObject({
  watchNamespace: z
    .string()
    .nullish()
    .transform((namespace) => namespace ?? undefined),
  deploymentConfig: SubscriptionConfig.optional(),
});

/**
 * Returns the configuration, or the reason it is invalid for this bundle (spec: v1-apply.md §3). It is read
 * only if it has an effect.
 */
export function readConfig(bundle: RegistryBundle, request: RenderRequest): BundleConfig | RenderRefusal {
  const { config, gates, namespace } = request;
  if (config === undefined && gates.SingleOwnNamespaceInstallSupport !== true) return {};
  const value = config === undefined ? {} : config;
  const broken = checkSchema(configSchema(supportedInstallModes(bundle), namespace, gates), value);
  if (broken !== undefined) {
    const needs = needOf(supportedInstallModes(bundle), value, gates);
    return { ...refusal(failureTexts(broken), failureDetails(broken)), ...(needs && { needs }) };
  }
  const read = readForeign(Config, value);
  return 'value' in read ? read.value : refusal([read.problem], []);
}

/** Returns the one setting or feature gate without which a configuration is invalid. */
function needOf(modes: readonly string[], config: unknown, gates: RenderFeatureGates): RenderRefusal['needs'] {
  const given = z.looseObject({}).safeParse(config).data ?? {};
  if (gates.DeploymentConfig !== true && 'deploymentConfig' in given) return 'DeploymentConfig';
  return modes.includes('AllNamespaces') || 'watchNamespace' in given ? undefined : 'watchNamespace';
}

function refusal(texts: readonly string[], details: readonly string[]): RenderRefusal {
  const why = texts.length === 1 ? texts[0] : `multiple errors found:\n  - ${texts.join('\n  - ')}`;
  const hidden = details.filter((detail) => !texts.includes(detail));
  return {
    error: `invalid ClusterExtension configuration: invalid configuration: ${why}`,
    reason: 'InvalidConfiguration',
    ...(hidden.length === 0 ? {} : { details: hidden }),
  };
}

/** Returns the schema of the configuration for a bundle of these install modes. */
function configSchema(modes: readonly string[], namespace: string, gates: RenderFeatureGates): ConfigSchema {
  const all = modes.includes('AllNamespaces');
  const watchNamespace = watchNamespaceSchema(modes, namespace);
  const properties = new Map<string, ConfigSchema>();
  if (gates.DeploymentConfig === true) properties.set('deploymentConfig', DEPLOYMENT_CONFIG_SCHEMA);
  if (watchNamespace !== undefined) {
    properties.set('watchNamespace', all ? { anyOf: [{ type: 'null' }, watchNamespace] } : watchNamespace);
  }
  const required = watchNamespace === undefined || all ? [] : ['watchNamespace'];
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns undefined if there is no choice: the operator watches all namespaces. */
function watchNamespaceSchema(modes: readonly string[], namespace: string): ConfigSchema | undefined {
  const own = modes.includes('OwnNamespace');
  const single = modes.includes('SingleNamespace');
  if (!own && !single) return undefined;
  if (own && single) return NAMESPACE;
  return { ...NAMESPACE, format: own ? ownNamespace(namespace) : singleNamespace(namespace) };
}

const ownNamespace = (namespace: string): TextFormat => ({
  name: 'ownNamespaceInstallMode',
  problem: (value) =>
    value === namespace
      ? undefined
      : `invalid value ${goQuote(value)}: must be ${goQuote(namespace)} (the namespace where the operator is installed) ` +
        'because this operator only supports OwnNamespace install mode',
});

const singleNamespace = (namespace: string): TextFormat => ({
  name: 'singleNamespaceInstallMode',
  problem: (value) =>
    value === namespace
      ? `invalid value ${goQuote(value)}: must be different from ${goQuote(namespace)} (the install namespace) because ` +
        'this operator uses SingleNamespace install mode to watch a different namespace'
      : undefined,
});
