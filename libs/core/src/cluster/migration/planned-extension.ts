import { CLUSTER_EXTENSION_API, type ClusterExtension } from '../../kernel/api/cluster-extension.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';

/** Annotation of a ClusterExtension and its first revision: `namespace/name` of the previous Subscription. */
export const MIGRATED_FROM_SUBSCRIPTION_KEY = 'olm.operatorframework.io/migrated-from-subscription';

/**
 * Returns the ClusterExtension that replaces a Subscription. It has the same package, channel and namespace,
 * and the one namespace that the operator watches. It has one version if approval was Manual, and the changes
 * that spec.config makes to Deployments.
 */
export function plannedExtension(
  { metadata, spec }: Subscription,
  group: OperatorGroup,
  version: string,
  name = spec.name,
): ClusterExtension {
  const inline = { ...watchedBy(group), ...deploymentConfig(spec.config) };
  const config = Object.keys(inline).length === 0 ? {} : { config: { configType: 'Inline', inline } };
  return {
    ...CLUSTER_EXTENSION_API,
    metadata: { name, annotations: { [MIGRATED_FROM_SUBSCRIPTION_KEY]: `${metadata.namespace}/${metadata.name}` } },
    spec: {
      namespace: metadata.namespace ?? '',
      source: {
        sourceType: 'Catalog',
        catalog: {
          packageName: spec.name,
          ...(spec.channel ? { channels: [spec.channel] } : {}),
          ...(spec.installPlanApproval === 'Manual' ? { version } : {}),
        },
      },
      ...config,
    },
  };
}

function watchedBy({ status }: OperatorGroup): Readonly<Record<string, string>> {
  const [only = ''] = status?.namespaces ?? [];
  return only === '' ? {} : { watchNamespace: only };
}

function deploymentConfig(config: Subscription['spec']['config']): Readonly<Record<string, unknown>> {
  const { selector: _unused, ...rest } = config ?? {};
  return Object.keys(rest).length === 0 ? {} : { deploymentConfig: rest };
}
