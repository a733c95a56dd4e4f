import { namedWebhooks } from '../../kernel/admission/webhook-refusal.js';
import { ADVICE, type Advice } from './advice.js';

/**
 * What helps against a webhook that does not answer, from a message that names it. Empty if none is named, or
 * it answered and denied the request: then its own words say what to correct.
 */
export function webhookAdvice(message: string): readonly Advice[] {
  const silent = namedWebhooks(message).filter(({ answered }) => !answered);
  return [
    ...new Set(
      silent.flatMap(({ kind, configuration, service, owner }) => {
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
    ),
  ];
}

/** What installs webhooks of its own, and again where they are gone. */
const OPERATOR = /^(?:ClusterServiceVersion|ClusterExtension) /;
