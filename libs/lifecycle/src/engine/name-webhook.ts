import type { Action } from '#core/kernel/actions/action';
import { WEBHOOK_CONFIGURATION_KINDS, webhookIn, whoseWebhook } from '#core/kernel/admission/webhook-refusal';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { deniedRight } from '#core/kernel/rbac/denied-right';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { PassReader } from './pass-reader.js';

const ADMISSION = 'admissionregistration.k8s.io/v1';

/**
 * Adds to a refusal which configuration the webhook is of that stopped the write, and whose it is: the API
 * server names the webhook alone. Returns the same refusal if no webhook stopped it, or its configuration
 * cannot be read.
 */
export async function namingWebhook(reader: Pick<PassReader, 'list'>, error: KubeApiError): Promise<KubeApiError> {
  const webhook = webhookIn(error.said);
  if (webhook === undefined) return error;
  const listed = WEBHOOK_CONFIGURATION_KINDS.map((kind) => reader.list({ apiVersion: ADMISSION, kind }));
  const configurations = await Promise.all(listed).catch((unread: unknown) => {
    if (KubeApiError.is(unread)) return [];
    throw unread;
  });
  const whose = whoseWebhook(webhook, configurations.flat());
  return whose === '' ? error : error.adding(whose);
}

/**
 * An Event about the object that a webhook, or a right that the hub is missing, kept from being written; none
 * for any other refusal.
 */
export function refusalEvents(action: Action, error: KubeApiError): readonly Action[] {
  if (action.do === 'emitEvent') return [];
  if (webhookIn(error.said) === undefined && deniedRight(error.said) === undefined) return [];
  const about = 'object' in action ? { ...refOf(action.object), uid: action.object.metadata.uid } : action.ref;
  return [{ do: 'emitEvent', about, type: 'Warning', reason: 'WriteRefused', message: error.said }];
}
