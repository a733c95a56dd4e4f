import { type SubscriptionConfig, withMissing } from '../../../catalog/bundle/subscription-config.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { BundleDeployment } from '../bundle/registry-bundle.js';
import { type Targets, targetsText } from '../bundle/target-namespaces.js';
import { withCertificateVolumes } from './certificate-volumes.js';
import { withDeploymentConfig } from './deployment-config.js';
import { asTyped } from './typed-pod.js';

/** Settings that all Deployments of a rendering have in common. */
type DeploymentSetting = Readonly<{
  namespace: string;
  targets: Targets;
  /** Annotations of the CSV, which go to the pods. */
  annotations: Readonly<Record<string, string>>;
  config: SubscriptionConfig | undefined;
}>;

/**
 * Builds a Deployment of a bundle for the apply (spec: v1-apply.md §4). Parts are added in this order:
 * annotations, the volumes of the certificate in `secretName`, the user's deploymentConfig.
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
  const finished = config === undefined ? called : withDeploymentConfig(called, config);
  return {
    ...KIND.Deployment,
    metadata: {
      name,
      namespace,
      ...unlessEmpty('labels', label),
      ...unlessEmpty('annotations', config?.annotations),
    },
    // Selector and containers are written even if the bundle has none, as OLM v1 does: the API server
    // reports the mistake.
    spec: {
      selector: null,
      ...spec,
      revisionHistoryLimit: 1,
      template: {
        ...template,
        metadata: { ...template.metadata, annotations: withMissing(own, config?.annotations) },
        spec: { containers: null, ...asTyped(finished) },
      },
    },
  };
}

const unlessEmpty = (field: string, map: Readonly<Record<string, string>> | null | undefined) =>
  map && Object.keys(map).length > 0 ? { [field]: { ...map } } : {};
