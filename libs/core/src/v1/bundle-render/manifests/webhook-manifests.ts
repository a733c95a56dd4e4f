import { KIND } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { BundleWebhook } from '../bundle/registry-bundle.js';
import { type Targets } from '../bundle/target-namespaces.js';
import type { WebhookService } from '../bundle/webhook-service.js';
import { WEBHOOK_TYPE } from '../refusals/webhook-problems.js';
import type { CertificateInjection } from './certificate-injection.js';

/** Kind of the configuration, by the type of the webhook. */
const KINDS: ReadonlyMap<string, string> = new Map([
  [WEBHOOK_TYPE.validating, 'ValidatingWebhookConfiguration'],
  [WEBHOOK_TYPE.mutating, 'MutatingWebhookConfiguration'],
]);

/** Fields that the API server reads as they are. */
const PASSED_ON = ['failurePolicy', 'matchPolicy', 'objectSelector', 'timeoutSeconds'] as const;

/**
 * Returns the configuration through which the API server calls an admission webhook (spec: v1-apply.md §4).
 * Undefined for a conversion webhook. The name is the bundle's own, so that two extensions cannot have the
 * same webhook.
 */
export function webhookConfiguration(
  webhook: BundleWebhook,
  service: WebhookService,
  targets: Targets,
  { annotations, clientConfig }: CertificateInjection,
): KubernetesObject | undefined {
  const kind = KINDS.get(webhook.type);
  if (kind === undefined) return undefined;
  const name = webhook.generateName.replace(/-$/, '');
  return {
    apiVersion: KIND.ValidatingWebhookConfiguration.apiVersion,
    kind,
    // OLM v1 sets a namespace though the kind has none.
    metadata: {
      name,
      namespace: service.namespace,
      ...(Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {}),
    },
    webhooks: [
      {
        name,
        ...(webhook.rules.length > 0 ? { rules: webhook.rules.map(withoutEmptyLists) } : {}),
        ...present(webhook, PASSED_ON),
        ...(kind === 'MutatingWebhookConfiguration' ? present(webhook, ['reinvocationPolicy']) : {}),
        // Both are written even if the bundle does not set them, as OLM v1 does.
        sideEffects: webhook['sideEffects'] ?? null,
        admissionReviewVersions: webhook.admissionReviewVersions ?? null,
        clientConfig: { service: serviceReference(webhook, service), ...clientConfig },
        ...(targets.all ? {} : { namespaceSelector: namespaceSelector(targets.namespaces) }),
      },
    ],
  };
}

/** Returns the fields with content. */
function present(webhook: BundleWebhook, fields: readonly string[]): Record<string, unknown> {
  const said = fields.map((field) => [field, webhook[field]] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== undefined && value !== null));
}

const withoutEmptyLists = (rule: BundleWebhook['rules'][number]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/**
 * Returns the address that the API server calls. The port is the bundle's, or 0 if it gives none, as in OLM
 * v1.
 */
export const serviceReference = (
  { webhookPath, containerPort }: BundleWebhook,
  { name, namespace }: WebhookService,
): Record<string, unknown> => ({
  name,
  namespace,
  ...(typeof webhookPath === 'string' ? { path: webhookPath } : {}),
  port: containerPort ?? 0,
});

const namespaceSelector = (namespaces: readonly string[]): Record<string, unknown> => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [...namespaces] }],
});
