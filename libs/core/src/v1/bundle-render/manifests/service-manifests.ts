import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { WebhookService } from '../bundle/webhook-service.js';
import type { CertificateInjection } from './certificate-injection.js';

/**
 * Returns the Service in front of a Deployment with webhooks, and the objects that create its certificate
 * (spec: v1-apply.md §4).
 */
export function serviceManifests(service: WebhookService, injection: CertificateInjection): KubernetesObject[] {
  const { name, namespace, ports, selector } = service;
  const { serviceAnnotations } = injection;
  const annotated = Object.keys(serviceAnnotations).length > 0 ? { annotations: { ...serviceAnnotations } } : {};
  return [
    {
      ...KIND.Service,
      metadata: { name, namespace, ...annotated },
      spec: {
        ports: ports.map(({ port, targetPort }) => ({ name: String(port), port, targetPort })),
        ...(selector === undefined ? {} : { selector }),
      },
    },
    ...injection.objects,
  ];
}
