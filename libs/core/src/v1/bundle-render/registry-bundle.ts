import { z } from 'zod';
import { PodSpec } from '../../catalog/bundle/subscription-config.js';
import { PolicyRule } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? []);
const texts = z.record(z.string(), z.string()).nullish();

/** Rules that a bundle asks for; an empty account name stands for `default`. */
export const BundlePermission = z.looseObject({ serviceAccountName: text, rules: z.array(PolicyRule).nullish() });
export type BundlePermission = z.infer<typeof BundlePermission>;

export const BundleDeployment = z.looseObject({
  name: text,
  label: texts,
  spec: z
    .looseObject({
      selector: z.looseObject({ matchLabels: texts }).nullish(),
      template: z
        .looseObject({ metadata: z.looseObject({ annotations: texts }).nullish(), spec: PodSpec.nullish() })
        .nullish(),
    })
    .nullish(),
});
export type BundleDeployment = z.infer<typeof BundleDeployment>;

/** A webhook of a bundle; what the API server reads of it passes through as it is. */
export const BundleWebhook = z.looseObject({
  generateName: text,
  type: text,
  deploymentName: text,
  containerPort: z.number().nullish(),
  targetPort: z.union([z.number(), z.string()]).nullish(),
  webhookPath: z.string().nullish(),
  admissionReviewVersions: z.array(z.string()).nullish(),
  conversionCRDs: listOf(z.string()),
  rules: listOf(z.looseObject({ apiGroups: z.array(z.string()).nullish(), resources: z.array(z.string()).nullish() })),
});
export type BundleWebhook = z.infer<typeof BundleWebhook>;

/**
 * What rendering reads of a ClusterServiceVersion: as lenient as OLM v1, which takes an
 * absent field as an empty one.
 */
export const BundleCsv = z.looseObject({
  metadata: z.looseObject({ name: text, annotations: texts.transform((map) => map ?? {}) }),
  spec: z
    .looseObject({
      installModes: listOf(z.looseObject({ type: text, supported: z.boolean().nullish() })),
      install: z
        .looseObject({
          spec: z
            .looseObject({
              deployments: listOf(BundleDeployment),
              permissions: listOf(BundlePermission),
              clusterPermissions: listOf(BundlePermission),
            })
            .nullish(),
        })
        .nullish(),
      customresourcedefinitions: z.looseObject({ owned: listOf(z.looseObject({ name: text })) }).nullish(),
      apiservicedefinitions: z.looseObject({ owned: listOf(z.looseObject({})) }).nullish(),
      webhookdefinitions: listOf(BundleWebhook),
    })
    .nullish(),
});
export type BundleCsv = z.infer<typeof BundleCsv>;

/** A registry+v1 bundle as OLM v1 reads it (spec: v1-apply.md §1). */
export type RegistryBundle = Readonly<{
  /** From metadata/annotations.yaml; empty where it does not say. */
  packageName: string;
  /**
   * The last ClusterServiceVersion of the manifests, its annotation `olm.properties` merged with
   * metadata/properties.yaml.
   */
  csv: BundleCsv;
  /** In the order of files. */
  crds: readonly KubernetesObject[];
  /** Every other manifest, in the order of files. */
  others: readonly KubernetesObject[];
}>;

export const deploymentsOf = ({ csv }: RegistryBundle): readonly BundleDeployment[] =>
  csv.spec?.install?.spec?.deployments ?? [];

export const permissionsOf = ({ csv }: RegistryBundle): readonly BundlePermission[] =>
  csv.spec?.install?.spec?.permissions ?? [];

export const clusterPermissionsOf = ({ csv }: RegistryBundle): readonly BundlePermission[] =>
  csv.spec?.install?.spec?.clusterPermissions ?? [];

/** APIServices that the bundle would serve. */
export const ownedApiServiceCount = ({ csv }: RegistryBundle): number =>
  (csv.spec?.apiservicedefinitions?.owned ?? []).length;

export const webhooksOf = ({ csv }: RegistryBundle): readonly BundleWebhook[] => csv.spec?.webhookdefinitions ?? [];

/** Names of the CRDs that the bundle says it owns. */
export const ownedCrdNames = ({ csv }: RegistryBundle): readonly string[] =>
  (csv.spec?.customresourcedefinitions?.owned ?? []).map(({ name }) => name);

/** The install modes that a bundle supports, sorted, each once. */
export const supportedInstallModes = ({ csv }: RegistryBundle): readonly string[] =>
  [...new Set((csv.spec?.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type))].toSorted();
