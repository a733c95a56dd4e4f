import { namedConversions } from '../../kernel/admission/conversion-refusal.js';
import { namedWebhooks } from '../../kernel/admission/webhook-refusal.js';
import { ADVICE, type Advice } from '../advice/advice.js';

/**
 * Returns advice against a webhook that does not answer, from a message that names it. Returns none if the
 * message names no webhook, or if the webhook denied the request: its own words then name the fault.
 */
export function webhookAdvice(message: string): readonly Advice[] {
  const silent = namedWebhooks(message).filter(({ answered }) => !answered);
  const converting = namedConversions(message).map(({ crd, service }) =>
    service === undefined
      ? ADVICE.inspectWebhook('customresourcedefinition', crd)
      : ADVICE.wakeWebhook(service.namespace, service.name),
  );
  return [
    ...new Set([
      ...converting,
      ...silent.flatMap(({ kind, configuration, service, owner }) => {
        const resource = kind.toLowerCase();
        return [
          service === undefined
            ? ADVICE.inspectWebhook(resource, configuration)
            : ADVICE.wakeWebhook(service.namespace, service.name),
          ...(owner !== undefined && OPERATOR.test(owner)
            ? [ADVICE.deleteWebhook(resource, configuration, owner)]
            : []),
        ];
      }),
    ]),
  ];
}

/** Owners that install webhooks themselves, and recreate them when they are gone. */
const OPERATOR = /^(?:ClusterServiceVersion|ClusterExtension) /;
