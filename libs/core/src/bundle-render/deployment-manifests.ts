import type { KubernetesObject } from '../api/kubernetes-object.js';
import { type PodSpec, type SubscriptionConfig, withConfig, withMissing } from '../csv/subscription-config.js';
import { withCertificateVolumes } from './certificate-volumes.js';
import { pruneNulls } from './prune-nulls.js';
import type { BundleDeployment } from './registry-bundle.js';
import { type Targets, targetsText } from './target-namespaces.js';

/** What all Deployments of a rendering have in common. */
export type DeploymentSetting = Readonly<{
  namespace: string;
  targets: Targets;
  /** Annotations of the CSV, which go to the pods. */
  annotations: Readonly<Record<string, string>>;
  config: SubscriptionConfig | undefined;
}>;

/**
 * A Deployment of a bundle as it is applied (spec: v1-apply.md §4). Order of what is put on top: annotations, the volumes
 * of the certificate in `secretName`, the user's deploymentConfig.
 */
export function deploymentManifest(
  { name, label, spec }: BundleDeployment,
  { namespace, targets, annotations, config }: DeploymentSetting,
  secretName: string | undefined,
): KubernetesObject {
  const template = spec?.template ?? {};
  const own = {
    ...annotations,
    ...template.metadata?.annotations,
    'olm.targetNamespaces': targetsText(targets),
    'olm.operatorNamespace': namespace,
  };
  const pod = template.spec ?? {};
  const called = secretName === undefined ? pod : withCertificateVolumes(pod, secretName);
  const finished = config === undefined ? called : configured(called, config);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      ...unlessEmpty('labels', label),
      ...unlessEmpty('annotations', config?.annotations),
    },
    spec: {
      // A field that OLM v1 writes even where the bundle has none.
      selector: null,
      ...pruneNulls({
        ...spec,
        revisionHistoryLimit: 1,
        template: {
          ...template,
          metadata: {
            ...template.metadata,
            annotations: withMissing(own, config?.annotations),
            creationTimestamp: null,
          },
          spec: finished,
        },
      }),
    },
  };
}

const unlessEmpty = (field: string, map: Readonly<Record<string, string>> | null | undefined) =>
  map && Object.keys(map).length > 0 ? { [field]: { ...map } } : {};

/** Like the config of a Subscription but for affinity, whose parts each count for themselves (spec: v1-apply.md §3). */
function configured(pod: PodSpec, { affinity, ...config }: SubscriptionConfig): PodSpec {
  const { affinity: old, nodeSelector, ...rest } = withConfig(pod, config);
  const merged = affinity ? mergedAffinity(old, affinity) : old;
  return {
    ...rest,
    ...(isEmpty(nodeSelector) ? {} : { nodeSelector }),
    ...(merged ? { affinity: merged } : {}),
  };
}

/** `{}` takes all affinity away; of the three parts an absent one stays, an empty one goes, another replaces. */
function mergedAffinity(
  old: PodSpec['affinity'],
  wanted: NonNullable<SubscriptionConfig['affinity']>,
): PodSpec['affinity'] {
  if (isEmpty(wanted)) return undefined;
  const merged: Record<string, unknown> = { ...old };
  for (const part of ['nodeAffinity', 'podAffinity', 'podAntiAffinity'] as const) {
    if (!wanted[part]) continue;
    if (isEmpty(wanted[part])) delete merged[part];
    else merged[part] = wanted[part];
  }
  return isEmpty(merged) ? undefined : merged;
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
