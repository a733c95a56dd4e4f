import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { base64 } from '../../../kernel/text/base64.js';
import { objectName } from '../bundle/object-name.js';
import type { RenderRequest } from '../bundle/render-request.js';
import type { WebhookService } from '../bundle/webhook-service.js';

const CERT_MANAGER = 'cert-manager.io/v1';

/**
 * Parts that a CertificateProvider adds so that the API server trusts the called service (spec: v1-apply.md
 * §4, certificates).
 */
export type CertificateInjection = Readonly<{
  /** Annotations of webhook configurations and of CRDs with conversion. */
  annotations: Readonly<Record<string, string>>;
  /** Goes into the clientConfig of webhooks; empty if a controller in the cluster fills it in. */
  clientConfig: Readonly<{ caBundle?: string }>;
  /** Annotations of the Service. */
  serviceAnnotations: Readonly<Record<string, string>>;
  /** Objects that make the certificate. */
  objects: readonly KubernetesObject[];
}>;

const NOTHING: CertificateInjection = { annotations: {}, clientConfig: {}, serviceAnnotations: {}, objects: [] };

export function certificateInjection(service: WebhookService, request: RenderRequest): CertificateInjection {
  const { secretName, namespace } = service;
  switch (request.certificateProvider) {
    case 'cert-manager':
      return {
        ...NOTHING,
        annotations: { 'cert-manager.io/inject-ca-from': `${namespace}/${secretName}` },
        objects: certManagerObjects(service),
      };
    case 'openshift-service-ca':
      return {
        ...NOTHING,
        annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' },
        serviceAnnotations: { 'service.beta.openshift.io/serving-cert-secret-name': secretName },
      };
    default: {
      const authority = request.authorities?.get(secretName);
      return authority === undefined ? NOTHING : { ...NOTHING, clientConfig: { caBundle: base64(authority) } };
    }
  }
}

function certManagerObjects({ name, namespace, secretName, hosts }: WebhookService): KubernetesObject[] {
  const issuer = objectName(secretName, 'selfsigned-issuer');
  return [
    {
      apiVersion: CERT_MANAGER,
      kind: 'Issuer',
      metadata: { name: issuer, namespace },
      spec: { selfSigned: {} },
    },
    {
      apiVersion: CERT_MANAGER,
      kind: 'Certificate',
      metadata: { name: secretName, namespace },
      spec: {
        secretName,
        commonName: `${name}.${namespace}`,
        dnsNames: [...hosts],
        usages: ['server auth'],
        issuerRef: { name: issuer },
        duration: '17520h0m0s',
        renewBefore: '24h0m0s',
      },
    },
  ];
}
