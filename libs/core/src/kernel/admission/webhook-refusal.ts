import { z } from 'zod';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { byCodeUnit } from '../canonical/canonical-json.js';
import { ownerText } from './webhook-owner.js';

export const WEBHOOK_CONFIGURATION_KINDS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;
type ConfigurationKind = (typeof WEBHOOK_CONFIGURATION_KINDS)[number];

/** A webhook that stopped a write, as far as a message names it. */
type StoppingWebhook = Readonly<{
  name: string;
  /** False if the API server got no answer from it; otherwise it denied the request. */
  answered: boolean;
}>;

const SILENT = /failed calling webhook "([^"]+)"/;
const DENIED = /admission webhook "([^"]+)" denied the request/;

/** Returns the admission webhook that an answer of the API server names, if it names one. */
export function webhookIn(said: string): StoppingWebhook | undefined {
  const silent = SILENT.exec(said)?.[1];
  if (silent !== undefined) return { name: silent, answered: false };
  const denied = DENIED.exec(said)?.[1];
  return denied === undefined ? undefined : { name: denied, answered: true };
}

const DENIED_BY_POLICY = /^\S+ "[^"]*" is forbidden: ValidatingAdmissionPolicy '|^ValidatingAdmissionPolicy '/;

/** True if a webhook or a ValidatingAdmissionPolicy denied the request. Rights would not help. */
export const isDeniedByPolicy = (said: string): boolean => DENIED.test(said) || DENIED_BY_POLICY.test(said);

const Configuration = z.looseObject({
  webhooks: z.array(
    z.looseObject({
      name: z.string(),
      failurePolicy: z.string().nullish(),
      clientConfig: z
        .looseObject({ service: z.looseObject({ name: z.string(), namespace: z.string() }).nullish() })
        .nullish(),
    }),
  ),
});

/** Names of webhooks are unique within a configuration alone. */
const MOST_NAMED = 3;

/**
 * Names the configuration of a stopping webhook, its address and its owner, in words to append to those of
 * the API server. Returns an empty text if no configuration has such a webhook.
 */
export function whoseWebhook({ name }: StoppingWebhook, configurations: readonly KubernetesObject[]): string {
  const texts = configurations
    .flatMap((configuration) => {
      const webhook = Configuration.safeParse(configuration).data?.webhooks.find((one) => one.name === name);
      if (webhook === undefined) return [];
      const service = webhook.clientConfig?.service;
      const where = service ? `service ${service.namespace}/${service.name}` : 'a URL';
      const policy = `failurePolicy ${webhook.failurePolicy ?? 'Fail'}`;
      return [
        `webhook "${name}" is of ${configuration.kind} ${configuration.metadata.name ?? ''} (${where}, ${policy})${ownerText(configuration)}`,
      ];
    })
    .sort(byCodeUnit);
  return texts.slice(0, MOST_NAMED).join('; ');
}

/** The part of a message that {@link whoseWebhook} added. */
type NamedWebhook = StoppingWebhook &
  Readonly<{
    kind: ConfigurationKind;
    configuration: string;
    service: Readonly<{ namespace: string; name: string }> | undefined;
    /** `ClusterServiceVersion namespace/name`, say. */
    owner: string | undefined;
  }>;

const NAMED =
  /webhook "([^"]+)" is of (ValidatingWebhookConfiguration|MutatingWebhookConfiguration) (\S+) \((?:service ([^/\s]+)\/([^,\s]+)|a URL), failurePolicy \w+\)(?:, and belongs to ((?:Helm release|\S+) [^\s;.]+(?:\.[^\s;.]+)*))?/g;

/** Returns the webhooks that a message names with their configurations. */
export function namedWebhooks(message: string): readonly NamedWebhook[] {
  const stopping = webhookIn(message);
  if (stopping === undefined) return [];
  return [...message.matchAll(NAMED)].map(([, name = '', kind, configuration = '', namespace, service, owner]) => ({
    ...{ name, answered: stopping.answered, kind: kind as ConfigurationKind, configuration, owner },
    service: namespace === undefined || service === undefined ? undefined : { namespace, name: service },
  }));
}
