import { z } from 'zod';
import { parseGoDuration } from '../../durations/go-duration.js';
import { subdomainProblems } from '../../labels/label-syntax.js';

/** The API group and version of every fleet kind. */
export const FLEET_API = 'fleet.flotilla.dev/v1alpha1';

/** A rule of a CRD in CEL, with the text that the API server answers where it does not hold. */
export type FieldRule = Readonly<{ rule: string; message: string }>;

const MOST_TEXT = 1_024;
const MOST_NAME = 253;
const MOST_LABELS = 64;
const MOST_EXPRESSION = 4_096;

/** Adds rules in CEL to a schema: they are part of the CRD, and the same text is evaluated offline. */
export const withRules = <T extends z.ZodType>(schema: T, ...rules: readonly FieldRule[]): T =>
  schema.meta({ 'x-kubernetes-validations': rules });

export const Text = z.string().max(MOST_TEXT);
export const Name = z.string().min(1).max(MOST_NAME);
/** The name of an object: a DNS subdomain. */
export const ObjectName = z
  .string()
  .max(MOST_NAME)
  .superRefine((name, context) => {
    for (const message of subdomainProblems(name)) context.addIssue({ code: 'custom', message });
  });
const Namespaces = z.array(Name);
export const namespaceList = (most: number) => Namespaces.max(most);
export const NameRef = z.strictObject({ name: Name });
export const Labels = z.record(z.string().max(MOST_NAME + 64), z.string().max(63));

/** Whole hours, minutes or seconds, as people write them. */
const shown = (ms: number): string => {
  if (ms > 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms > 0 && ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`;
};

/** A duration as Go writes it, at least `least` milliseconds. */
export const duration = (least = 0, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .max(64)
    .superRefine((text, context) => {
      const parsed = parseGoDuration(text);
      if ('error' in parsed) context.addIssue({ code: 'custom', message: parsed.error });
      else if (parsed.ms < least) context.addIssue({ code: 'custom', message: `must be at least ${shown(least)}` });
      else if (parsed.ms > most) context.addIssue({ code: 'custom', message: `must be at most ${shown(most)}` });
    })
    .meta({ format: 'duration' });

const A_SHARE = 'must be an integer from 1, or "1%" to "100%"';
/**
 * A number of clusters, or a part of them: an integer from 1, or "1%" to "100%". Bounds and a pattern say so,
 * no rule in CEL: the API server counts such a text as long as a whole request, and refuses the rule.
 */
export const ClusterShare = z.union([z.int().min(1, A_SHARE), z.string().regex(/^(100|[1-9][0-9]?)%$/, A_SHARE)], {
  error: A_SHARE,
});
export type ClusterShare = z.infer<typeof ClusterShare>;

const A_THRESHOLD = 'must be an integer from 0, or "0%" to "100%"';
/** Failures that are accepted: an integer from 0, or "0%" to "100%". */
export const Threshold = z.union(
  [z.int().min(0, A_THRESHOLD), z.string().regex(/^(100|[0-9]|[1-9][0-9])%$/, A_THRESHOLD)],
  { error: A_THRESHOLD },
);
export type Threshold = z.infer<typeof Threshold>;

const SelectorExpression = z.strictObject({
  key: z.string().max(MOST_NAME + 64),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: z.array(z.string().max(63)).max(256).optional(),
});
/** Kubernetes' label selector, bounded. */
export const Selector = z.strictObject({
  matchLabels: Labels.optional(),
  matchExpressions: z.array(SelectorExpression).max(MOST_LABELS).optional(),
});
/** Which clusters: both parts must match, an absent part matches all. */
export const ClusterSelector = z.strictObject({
  selector: Selector.optional(),
  expression: z.string().max(MOST_EXPRESSION).optional(),
});
export type ClusterSelector = z.infer<typeof ClusterSelector>;

/** Any JSON object, which the API server keeps as it is. */
export const AnyObject = z.record(z.string(), z.unknown()).meta({ 'x-kubernetes-preserve-unknown-fields': true });

/** A point in time, RFC 3339. */
export const Time = z.iso.datetime({ offset: true });

/** The metadata that people write. */
const Metadata = z.looseObject({
  name: ObjectName,
  labels: Labels.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
export const NamespacedMetadata = Metadata.extend({ namespace: ObjectName });
export const ClusterMetadata = Metadata.extend({
  namespace: z.undefined({ error: 'must be absent: this kind has no namespace' }).optional(),
});
