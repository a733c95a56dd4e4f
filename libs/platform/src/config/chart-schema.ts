import { allSettings, environmentName } from './settings.js';

/** Settings that the chart sets itself, or that the command alone reads. */
const NOT_FOR_USERS = [
  'FLOTILLA_KUBECONFIG',
  'FLOTILLA_KUBECONFIG_SECRET',
  'FLOTILLA_CLUSTERS_FILE',
  'FLOTILLA_REDIS_URL',
  'FLOTILLA_REDIS_USER',
  'FLOTILLA_REDIS_PASSWORD_FILE',
  'FLOTILLA_HUB_KEY_FILE',
  'FLOTILLA_HUB_TOKEN_FILE',
  'FLOTILLA_BIND_ADDRESS',
  'FLOTILLA_PEER_ADDRESS',
  'FLOTILLA_METRICS_PORT',
  'FLOTILLA_CATALOG_POLLER_PORT',
  'FLOTILLA_RESOLVER_WORKER_PORT',
  'FLOTILLA_APPLIER_PORT',
  'FLOTILLA_CONSOLE_PORT',
  'FLOTILLA_CONSOLE_HEALTH_PORT',
  'FLOTILLA_CONSOLE_KEY_FILE',
  'FLOTILLA_CONSOLE_PROOF_KEYS_FILE',
  'FLOTILLA_CONSOLE_EXTERNAL_URL',
  'FLOTILLA_CONTENT_DIR',
  'FLOTILLA_CONTENT_MAX_BYTES',
  'FLOTILLA_CONTENT_URL',
  'FLOTILLA_HTTP_TOKENS_FILE',
  'FLOTILLA_HTTP_AUTHENTICATED',
];

/** The names that `settings` of the chart's values may have. */
export const chartSettings = (): string[] =>
  allSettings()
    .map(([key]) => environmentName(key))
    .filter((name) => !NOT_FOR_USERS.includes(name));

/** `values.schema.json` of the chart: Helm refuses settings and fields that do not exist. */
export function chartSchema(): string {
  const allowed = chartSettings();
  const settings = allSettings().filter(([key]) => allowed.includes(environmentName(key)));
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: {
      global: { type: 'object' },
      image: closed('repository', 'tag', 'digest', 'pullPolicy', 'pullSecrets'),
      settings: {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(
          settings.map(([key, { meaning }]) => [
            environmentName(key),
            { type: ['string', 'number', 'boolean'], description: meaning },
          ]),
        ),
      },
      selfManaged: { type: 'boolean' },
      secrets: closed('hubKey', 'redisPasswords', 'pollerKubeconfig', 'applierKubeconfig', 'httpTokens', 'console'),
      poller: closed(...OF_SERVICES, ...OF_CONTENT),
      resolver: closed(...OF_SERVICES, ...OF_CONTENT, 'autoscaling'),
      applier: closed(...OF_SERVICES, ...OF_CONTENT),
      console: closed('enabled', 'externalUrl', ...OF_SERVICES),
      redis: closed('enabled', 'image', 'resources', 'urlSecret', 'addresses', 'ports'),
      networkPolicies: { type: 'boolean' },
      disruptionBudgets: { type: 'boolean' },
      monitoring: closed('podMonitor', 'serviceMonitor', 'interval', 'alerts', 'dashboards'),
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const OF_SERVICES = [
  ...['replicas', 'resources', 'env', 'volumes', 'volumeMounts'],
  ...['podAnnotations', 'podLabels', 'serviceAccountAnnotations'],
  ...['nodeSelector', 'tolerations', 'affinity', 'priorityClassName'],
];
const OF_CONTENT = ['contentMaxBytes', 'contentVolume'];

const closed = (...names: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
