import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { WebhookService } from './webhook-service.js';

/**
 * The issuer of the certificates with which the API server calls an operator: cert-manager or OpenShift's
 * service CA, if installed in the cluster, or Flotilla itself.
 */
export const CERTIFICATE_PROVIDERS = ['cert-manager', 'openshift-service-ca', 'flotilla'] as const;
export type CertificateProvider = (typeof CERTIFICATE_PROVIDERS)[number];

/** Feature gates of OLM v1 that rendering knows; off if absent (spec: v1-extension.md, "Feature gates"). */
export type RenderFeatureGates = Readonly<{ SingleOwnNamespaceInstallSupport?: boolean; DeploymentConfig?: boolean }>;

/** The feature gates with which the hub renders: both are always on (docs/differences-from-olm.md). */
export const HUB_FEATURE_GATES: RenderFeatureGates = { SingleOwnNamespaceInstallSupport: true, DeploymentConfig: true };

/** A ClusterExtension's demands on a bundle. */
export type RenderRequest = Readonly<{
  /** spec.namespace: the namespace into which the operator is installed. */
  namespace: string;
  /** spec.config.inline as received; undefined if spec.config is absent. */
  config: unknown;
  /** Absent: bundles with webhooks are refused. */
  certificateProvider: CertificateProvider | undefined;
  gates: RenderFeatureGates;
  /**
   * Provider `flotilla` only: PEM text of the authority behind each service's certificate, by the name of the
   * Secret. A service is rendered without one while its authority is missing: see {@link Rendered.services}.
   */
  authorities?: ReadonlyMap<string, string>;
}>;

/**
 * The reason a bundle cannot be installed with this request, in the words of OLM v1, and the reason of the
 * Progressing condition. `InvalidConfiguration` waits for another spec; `Retrying` is tried again.
 */
export type RenderRefusal = Readonly<{
  error: string;
  reason: 'InvalidConfiguration' | 'Retrying';
  /** The exact mistakes, if the words of OLM v1 leave them out. */
  details?: readonly string[];
  /** The one part of the request that would have to change, if there is only one. */
  needs?: RenderNeed;
}>;

/** A field of `spec.config.inline`, a feature gate, the provider of certificates, or other manifests. */
export type RenderNeed = 'watchNamespace' | keyof RenderFeatureGates | 'certificateProvider' | 'eachObjectOnce';

export type Rendered = Readonly<{
  /** Every object to be applied, sorted by group, kind, namespace and name, before owner labels. */
  objects: readonly KubernetesObject[];
  /**
   * The services through which the API server calls the operator. With provider `flotilla` the caller issues
   * a certificate for the hosts of each and writes it into the Secret `secretName` (keys `tls.crt`,
   * `tls.key`). The Secret is not part of `objects`.
   */
  services: readonly WebhookService[];
}>;
