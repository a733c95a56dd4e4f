import type { SubscriptionConfig } from '../../../catalog/bundle/subscription-config.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import { asRecord, asText } from '../../../kernel/crd/loose-value.js';

/** The proxy settings of an OpenShift cluster; other clusters do not serve the kind. */
export const CLUSTER_PROXY: ObjectRef = { ...KIND.Proxy, name: 'cluster' };

const VARIABLES = [
  ['HTTP_PROXY', 'httpProxy'],
  ['HTTPS_PROXY', 'httpsProxy'],
  ['NO_PROXY', 'noProxy'],
] as const;

/**
 * Returns the config with the variables of the cluster's proxy after its own, without empty ones. The config
 * is unchanged if its env names any of the three (spec: csv-lifecycle.md §11).
 */
export function withClusterProxy(config: SubscriptionConfig, proxy: KubernetesObject | undefined): SubscriptionConfig {
  const own = config.env ?? [];
  if (proxy === undefined || own.some(({ name }) => VARIABLES.some(([variable]) => variable === name))) return config;
  const status = asRecord(proxy['status']);
  const added = VARIABLES.map(([name, field]) => ({ name, value: asText(status[field]) }));
  const set = added.filter(({ value }) => value !== '');
  return set.length === 0 ? config : { ...config, env: [...own, ...set] };
}
