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
  'FLOTILLA_NOTIFIER_PORT',
  'FLOTILLA_FLEET_CONTROLLER_PORT',
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

/** `values.schema.json` of the chart: Helm refuses unknown fields and settings, and other types. */
export function chartSchema(): string {
  const allowed = chartSettings();
  const settings = allSettings().filter(([key]) => allowed.includes(environmentName(key)));
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...closed({
      global: MAP,
      nameOverride: NAME,
      fullnameOverride: WHOLE_NAME,
      plainNames: { enum: ['auto', true, false] },
      commonLabels: TEXTS,
      image: closed({ repository: TEXT, tag: WORD, digest: TEXT, pullPolicy: PULL_POLICY, pullSecrets: LIST }),
      settings: closed(
        Object.fromEntries(
          settings.map(([key, { meaning }]) => [
            environmentName(key),
            { type: ['string', 'number', 'boolean'], description: meaning },
          ]),
        ),
      ),
      selfManaged: FLAG,
      tokenReview: FLAG,
      httpTls: closed({ enabled: FLAG }),
      tracing: closed({ enabled: FLAG, endpoint: TEXT }),
      secrets: closed(Object.fromEntries(SECRETS.map((name) => [name, TEXT]))),
      poller: closed({ ...OF_SERVICES, ...OF_CONTENT }),
      resolver: closed({ ...OF_SERVICES, ...OF_CONTENT, autoscaling: AUTOSCALING }),
      applier: closed({ ...OF_SERVICES, ...OF_CONTENT }),
      fleet: closed({ enabled: FLAG, kinds: FLAG, ...OF_SERVICES }),
      notifier: closed({ enabled: FLAG, ...OF_SERVICES }),
      console: closed({ enabled: FLAG, externalUrl: TEXT, ingress: INGRESS, httpRoute: HTTP_ROUTE, ...OF_SERVICES }),
      redis: closed({ enabled: FLAG, image: TEXT, urlSecret: TEXT, addresses: LIST, ports: LIST, ...OF_PODS }),
      networkPolicies: FLAG,
      disruptionBudgets: FLAG,
      monitoring: closed({
        podMonitor: FLAG,
        serviceMonitor: FLAG,
        interval: TEXT,
        alerts: FLAG,
        runbooks: TEXT,
        dashboards: FLAG,
      }),
      extraObjects: { type: 'array', items: { type: ['object', 'string'] } },
    }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

type Schema = Readonly<Record<string, unknown>>;

/** An object that has these fields and no other. */
const closed = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

const TEXT: Schema = { type: 'string' };
/** A text that `--set` gives as a number if it has digits alone. */
const WORD: Schema = { type: ['string', 'number'] };
const NAME: Schema = { type: 'string', pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$' };
/** The beginning of names of Services, so a letter is its first. */
const WHOLE_NAME: Schema = { type: 'string', pattern: '^([a-z]([-a-z0-9]*[a-z0-9])?)?$' };
const FLAG: Schema = { type: 'boolean' };
const COUNT: Schema = { type: 'integer', minimum: 0 };
const LIST: Schema = { type: 'array' };
const MAP: Schema = { type: 'object' };
const TEXTS: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const PULL_POLICY: Schema = { enum: ['', 'Always', 'IfNotPresent', 'Never'] };

const SECRETS = [
  ...['hubKey', 'redisPasswords', 'pollerKubeconfig', 'applierKubeconfig', 'httpTokens', 'console'],
  ...['pollerTls', 'applierTls', 'resolverTls'],
];

const OF_PODS = {
  resources: MAP,
  podAnnotations: TEXTS,
  podLabels: TEXTS,
  serviceAccountName: TEXT,
  serviceAccountAnnotations: TEXTS,
  nodeSelector: TEXTS,
  tolerations: LIST,
  affinity: MAP,
  priorityClassName: TEXT,
};
const OF_SERVICES = {
  replicas: COUNT,
  env: LIST,
  envFrom: LIST,
  volumes: LIST,
  volumeMounts: LIST,
  ...OF_PODS,
  topologySpreadConstraints: LIST,
};
const OF_CONTENT = {
  contentMaxBytes: WORD,
  contentVolume: WORD,
  persistence: closed({ enabled: FLAG, storageClass: TEXT, accessModes: LIST, existingClaim: TEXT }),
};
const AUTOSCALING = closed({
  by: { enum: ['', 'hpa', 'keda'] },
  min: COUNT,
  max: COUNT,
  waitingPerResolver: { type: ['integer', 'string'] },
  prometheus: TEXT,
  labels: TEXTS,
});
const INGRESS = closed({ enabled: FLAG, className: TEXT, annotations: TEXTS, host: TEXT, tlsSecret: TEXT });
const HTTP_ROUTE = closed({ enabled: FLAG, annotations: TEXTS, parentRefs: LIST, hostnames: LIST });
