import { z } from 'zod';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { ADMISSION_GROUP } from '../../../kernel/api/kinds.js';

const WithRules = z.looseObject({
  rules: z
    .array(
      z.looseObject({
        apiGroups: z.array(z.string()).nullish(),
        resources: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
});
type WebhookRule = NonNullable<z.infer<typeof WithRules>['rules']>[number];

const ADMISSION_KINDS: ReadonlySet<string> = new Set([
  '*',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/**
 * Returns the reason the webhook descriptions of a CSV are refused, or undefined (spec: csv-lifecycle.md §3
 * and §7, rules guard).
 */
export function webhookError(csv: ClusterServiceVersion): string | undefined {
  const seen = new Set<string>();
  for (const description of csv.spec.webhookdefinitions ?? []) {
    if (seen.has(description.generateName)) return 'CSV contains repeated WebhookDescription name';
    seen.add(description.generateName);
    const parsed = WithRules.safeParse(description);
    const rules = parsed.success ? (parsed.data.rules ?? []) : [];
    const error = rules.map(ruleGuard).find((text) => text !== undefined);
    if (error !== undefined) return error;
  }
  return undefined;
}

function ruleGuard({ apiGroups, resources }: WebhookRule): string | undefined {
  const groups = apiGroups ?? [];
  if (groups.includes('*')) return 'webhook rules cannot include all groups';
  if (groups.includes('operators.coreos.com')) return 'webhook rules cannot include the OLM group';
  if (groups.includes(ADMISSION_GROUP) && (resources ?? []).some((one) => ADMISSION_KINDS.has(one))) {
    return 'webhook rules cannot include MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources';
  }
  return undefined;
}
