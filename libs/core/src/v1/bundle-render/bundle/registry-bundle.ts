import type { PodSpec } from '../../../catalog/bundle/subscription-config.js';
import type {
  ClusterServiceVersion,
  StrategyDeployment,
  StrategyPermission,
  WebhookDescription,
} from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';

/** A Deployment of a bundle, with the fields that rendering reads. */
export type BundleDeployment = StrategyDeployment & {
  spec: {
    selector?: { [field: string]: unknown; matchLabels?: Record<string, string> | undefined } | null | undefined;
    template?:
      | {
          [field: string]: unknown;
          metadata?: { [field: string]: unknown; annotations?: Record<string, string> | undefined } | undefined;
          spec?: PodSpec | undefined;
        }
      | undefined;
  };
};

type WebhookRule = { [field: string]: unknown; apiGroups?: string[] | undefined; resources?: string[] | undefined };

/** A webhook of a bundle. Fields for the API server pass through unchanged. */
export type BundleWebhook = WebhookDescription & {
  deploymentName: string;
  rules: WebhookRule[];
  conversionCRDs: string[];
};

/** The ClusterServiceVersion of a bundle, as every other part reads it. */
export type BundleCsv = ClusterServiceVersion & { metadata: { name: string; annotations: Record<string, string> } };

/** A registry+v1 bundle as OLM v1 reads it (spec: v1-apply.md §1). */
export type RegistryBundle = Readonly<{
  /** Name in metadata/annotations.yaml; empty if it has none. */
  packageName: string;
  /**
   * The last ClusterServiceVersion of the manifests, its annotation `olm.properties` merged with
   * metadata/properties.yaml.
   */
  csv: BundleCsv;
  /** CRDs in the order of files. */
  crds: readonly KubernetesObject[];
  /** Every other manifest, in the order of files. */
  others: readonly KubernetesObject[];
}>;

export const deploymentsOf = ({ csv }: RegistryBundle): readonly BundleDeployment[] =>
  (csv.spec.install?.spec?.deployments ?? []) as readonly BundleDeployment[];

/** Returns the rules that a bundle asks for; an empty account name means `default`. */
export const permissionsOf = ({ csv }: RegistryBundle): readonly StrategyPermission[] =>
  csv.spec.install?.spec?.permissions ?? [];

export const clusterPermissionsOf = ({ csv }: RegistryBundle): readonly StrategyPermission[] =>
  csv.spec.install?.spec?.clusterPermissions ?? [];

/** APIServices that the bundle would serve. */
export const ownedApiServiceCount = ({ csv }: RegistryBundle): number =>
  (csv.spec.apiservicedefinitions?.owned ?? []).length;

export const webhooksOf = ({ csv }: RegistryBundle): readonly BundleWebhook[] =>
  (csv.spec.webhookdefinitions ?? []).map((webhook) => ({
    ...webhook,
    deploymentName: webhook.deploymentName ?? '',
    rules: (webhook['rules'] ?? []) as WebhookRule[],
    conversionCRDs: webhook.conversionCRDs ?? [],
  }));

/** Returns the names of the CRDs that the bundle declares as owned. */
export const ownedCrdNames = ({ csv }: RegistryBundle): readonly string[] =>
  (csv.spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);

/** The install modes that a bundle supports, sorted, each once. */
export const supportedInstallModes = ({ csv }: RegistryBundle): readonly string[] =>
  [...new Set((csv.spec.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type))].toSorted();
