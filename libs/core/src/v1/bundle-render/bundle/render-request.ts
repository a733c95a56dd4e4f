import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { WebhookService } from './webhook-service.js';

/**
 * Who makes the certificates by which the API server calls an operator: cert-manager or OpenShift's service
 * CA, which must be in the cluster, or Flotilla itself.
 */
export const CERTIFICATE_PROVIDERS = ['cert-manager', 'openshift-service-ca', 'flotilla'] as const;
export type CertificateProvider = (typeof CERTIFICATE_PROVIDERS)[number];

/**
 * Feature gates of OLM v1 that rendering knows; off where absent (spec: v1-extension.md, "Feature gates").
 */
export type RenderFeatureGates = Readonly<{ SingleOwnNamespaceInstallSupport?: boolean; DeploymentConfig?: boolean }>;

/** The feature gates with which the hub renders: both are always on (docs/differences-from-olm.md). */
export const HUB_FEATURE_GATES: RenderFeatureGates = { SingleOwnNamespaceInstallSupport: true, DeploymentConfig: true };

/** What a ClusterExtension wants of a bundle. */
export type RenderRequest = Readonly<{
  /** spec.namespace: where the operator is installed. */
  namespace: string;
  /** spec.config.inline as it came; undefined where spec.config is absent. */
  config: unknown;
  /** Absent: bundles with webhooks are refused. */
  certificateProvider: CertificateProvider | undefined;
  gates: RenderFeatureGates;
  /**
   * Provider `flotilla` only: PEM text of the authority behind each service's certificate, by the name of the
   * Secret. A service whose authority is not there yet is rendered without: see {@link Rendered.services}.
   */
  authorities?: ReadonlyMap<string, string>;
}>;

/**
 * Why a bundle cannot be installed so, in the words of OLM v1, and the reason of the Progressing condition:
 * `InvalidConfiguration` waits for another spec, `Retrying` is tried again.
 */
export type RenderRefusal = Readonly<{
  error: string;
  reason: 'InvalidConfiguration' | 'Retrying';
  /** What exactly is wrong, where the words of OLM v1 leave it out. */
  details?: readonly string[];
  /** What of the request would have to be otherwise, where it is one thing. */
  needs?: RenderNeed;
}>;

/** A field of `spec.config.inline`, a feature gate, the provider of certificates, or other manifests. */
export type RenderNeed = 'watchNamespace' | keyof RenderFeatureGates | 'certificateProvider' | 'eachObjectOnce';

export type Rendered = Readonly<{
  /** Every object to be applied, sorted by group, kind, namespace and name, before owner labels. */
  objects: readonly KubernetesObject[];
  /**
   * The services by which the API server calls the operator. With provider `flotilla` the caller issues a
   * certificate for the hosts of each and writes it into the Secret `secretName` (keys `tls.crt`, `tls.key`):
   * it is no part of `objects`.
   */
  services: readonly WebhookService[];
}>;
