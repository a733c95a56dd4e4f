import { z } from 'zod';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { pruneNulls } from '../bundle/prune-nulls.js';
import type { BundleWebhook } from '../bundle/registry-bundle.js';
import type { WebhookService } from '../bundle/webhook-service.js';
import type { CertificateInjection } from './certificate-injection.js';
import { serviceReference } from './webhook-manifests.js';

const CrdSpec = z.looseObject({ preserveUnknownFields: z.boolean().nullish() });

/** The conversion of one CRD's objects: the webhook, and the service in front of it. */
export type Conversion = Readonly<{ webhook: BundleWebhook; service: WebhookService; injection: CertificateInjection }>;

/** A CRD as it is applied, or why it cannot be converted (spec: v1-apply.md §2, item 8, and §4). */
export function crdManifest(
  crd: KubernetesObject,
  conversion: Conversion | undefined,
): Readonly<{ manifest: KubernetesObject } | { error: string }> {
  const { status: _status, ...rest } = crd;
  const spec = CrdSpec.safeParse(crd['spec'] ?? {}).data ?? {};
  // OLM v1 leaves out the default of the field.
  const { preserveUnknownFields, ...kept } = spec;
  const { creationTimestamp: _created, ...metadata } = rest.metadata;
  const plain = { ...rest, metadata, spec: pruneNulls(preserveUnknownFields === true ? spec : kept) };
  if (conversion === undefined) return { manifest: plain };
  if (preserveUnknownFields === true) {
    return {
      error:
        `custom resource definition '${metadata.name ?? ''}' must have .spec.preserveUnknownFields set to false to let API ` +
        'Server call webhook to do the conversion',
    };
  }
  const { webhook, service, injection } = conversion;
  const annotations = { ...metadata.annotations, ...injection.annotations };
  const manifest: KubernetesObject = {
    ...plain,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: {
      ...plain.spec,
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { path: '/', ...serviceReference(webhook, service) }, ...injection.clientConfig },
          conversionReviewVersions: webhook.admissionReviewVersions ?? null,
        },
      },
    },
  };
  return { manifest };
}
