import type { Action } from '#core/kernel/actions/action';
import {
  conversionIn,
  definesConverted,
  likelyCrdNames,
  type StoppingConversion,
  whoseConversion,
} from '#core/kernel/admission/conversion-refusal';
import { WEBHOOK_CONFIGURATION_KINDS, webhookIn, whoseWebhook } from '#core/kernel/admission/webhook-refusal';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { deniedRight } from '#core/kernel/rbac/denied-right';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { PassReader } from './pass-reader.js';

/**
 * Adds to a refusal the configuration and the owner of the webhook that stopped the request: the API server
 * names the webhook alone, and of a conversion webhook the kind. Returns the same refusal if no webhook
 * stopped it, or its configuration cannot be read.
 */
export async function namingWebhook(
  reader: Pick<PassReader, 'list' | 'get'>,
  error: KubeApiError,
): Promise<KubeApiError> {
  const conversion = conversionIn(error.said);
  if (conversion !== undefined) {
    const crd = await readOr(undefined, () => convertedBy(reader, conversion));
    return error.adding(whoseConversion(conversion, crd));
  }
  const webhook = webhookIn(error.said);
  if (webhook === undefined) return error;
  const configurations = await readOr([], () =>
    Promise.all(WEBHOOK_CONFIGURATION_KINDS.map((kind) => reader.list(KIND[kind]))),
  );
  const whose = whoseWebhook(webhook, configurations.flat());
  return whose === '' ? error : error.adding(whose);
}

/** The CRD of the kind: by a name that it most often has, as a list of all CRDs may be large. */
async function convertedBy(
  reader: Pick<PassReader, 'list' | 'get'>,
  conversion: StoppingConversion,
): Promise<KubernetesObject | undefined> {
  for (const name of likelyCrdNames(conversion)) {
    const crd = await reader.get({ ...KIND.CustomResourceDefinition, name });
    if (crd !== undefined && definesConverted(conversion, crd)) return crd;
  }
  return (await reader.list(KIND.CustomResourceDefinition)).find((crd) => definesConverted(conversion, crd));
}

async function readOr<T>(otherwise: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (unread) {
    if (KubeApiError.is(unread)) return otherwise;
    throw unread;
  }
}

/**
 * An Event about the object that a webhook, or a right that the hub is missing, kept from being written; none
 * for any other refusal.
 */
export function refusalEvents(action: Action, error: KubeApiError): readonly Action[] {
  if (action.do === 'emitEvent') return [];
  const { said } = error;
  const isNamed = webhookIn(said) !== undefined || conversionIn(said) !== undefined;
  if (!isNamed && deniedRight(said) === undefined) return [];
  const about = 'object' in action ? { ...refOf(action.object), uid: action.object.metadata.uid } : action.ref;
  return [{ do: 'emitEvent', about, type: 'Warning', reason: 'WriteRefused', message: said }];
}
