import { z } from 'zod';
import { parseGoDuration } from '../../durations/go-duration.js';
import { labelKeyProblems, subdomainProblems } from '../../labels/label-syntax.js';
import * as pattern from './field-patterns.js';

/** The API group and version of every fleet kind. */
export const FLEET_API = 'fleet.flotilla.dev/v1alpha1';

/**
 * A rule of a CRD in CEL, with the API server's answer if the rule does not hold. `isServers`: the hub checks
 * the same by other means, with a longer answer.
 */
export type FieldRule = Readonly<{ rule: string; message: string; isServers?: true }>;

const MOST_TEXT = 1_024;
const MOST_NAME = 253;
const MOST_LABELS = 64;
const MOST_EXPRESSION = 4_096;

/** Adds rules in CEL to a schema: they are part of the CRD, and the same text is evaluated offline. */
export const withRules = <T extends z.ZodType>(schema: T, ...rules: readonly FieldRule[]): T =>
  schema.meta({ 'x-kubernetes-validations': rules });

export const Text = z.string().max(MOST_TEXT);
/** A line of text that names a user, a group or a context. */
export const Name = z.string().min(1).max(MOST_NAME).regex(pattern.LINE, 'must be one line that is not blank');
/** One word that names a package or a channel. */
export const OneWord = z.string().min(1).max(MOST_NAME).regex(pattern.WORD, 'must be one word of printable ASCII');
/** The name of another object. */
export const Subdomain = z
  .string()
  .min(1)
  .max(MOST_NAME)
  .regex(pattern.SUBDOMAIN, 'must be a DNS subdomain: lower-case letters, digits, "-" and "."');
/** The name of a namespace. */
export const NamespaceName = z
  .string()
  .min(1)
  .max(63)
  .regex(pattern.NAMESPACE, 'must be a DNS label: lower-case letters, digits and "-"');
/** The name of an object: a DNS subdomain. */
export const ObjectName = z
  .string()
  .max(MOST_NAME)
  .superRefine((name, context) => {
    for (const message of subdomainProblems(name)) context.addIssue({ code: 'custom', message });
  });
const Namespaces = z.array(NamespaceName);
export const namespaceList = (most: number) => Namespaces.max(most);
export const NameRef = z.strictObject({ name: Subdomain });

const LabelValue = z
  .string()
  .max(63)
  .regex(pattern.LABEL_VALUE, 'must be a label value: letters, digits, "-", "_" and "."');
const LABEL_KEYS = 'must have label keys: letters, digits, "-", "_" and ".", with or without a DNS subdomain and "/"';
/** Labels as Kubernetes takes them. */
export const Labels = withRules(
  z
    .record(z.string().max(MOST_NAME + 64), LabelValue)
    .superRefine((labels, context) => {
      const wrong = Object.keys(labels).find((key) => labelKeyProblems(key).length > 0);
      if (wrong !== undefined) context.addIssue({ code: 'custom', path: [wrong], message: LABEL_KEYS });
      if (Object.keys(labels).length > MOST_LABELS) {
        context.addIssue({ code: 'custom', message: `must have at most ${MOST_LABELS} entries` });
      }
    })
    .meta({ maxProperties: MOST_LABELS }),
  { rule: `self.all(key, key.matches(r'${pattern.LABEL_KEY.source}'))`, message: LABEL_KEYS, isServers: true },
);

/** Formats whole hours, minutes or seconds, as people write them. */
const shown = (ms: number): string => {
  if (ms > 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms > 0 && ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`;
};

/** Returns the schema of a duration as Go writes it, at least `least` milliseconds. */
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
    .meta({ pattern: pattern.DURATION.source, 'x-kubernetes-validations': durationRules(least, most) });

function durationRules(least: number, most: number): readonly FieldRule[] {
  const bound = (sign: string, ms: number, message: string): FieldRule => ({
    ...{ rule: `duration(self) ${sign} duration('${shown(ms)}')`, message: `${message} ${shown(ms)}`, isServers: true },
  });
  const lower = bound('>=', least, 'must be at least');
  return most < Number.MAX_SAFE_INTEGER ? [lower, bound('<=', most, 'must be at most')] : [lower];
}

const A_SHARE = 'must be an integer from 1, or "1%" to "100%"';
/**
 * A number of clusters, or a part of them: an integer from 1, or "1%" to "100%". Bounds and a pattern check
 * it, no rule in CEL: the API server would count the cost of such a text as long as a whole request, and
 * refuse the rule.
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

const SelectorExpression = withRules(
  z.strictObject({
    key: z
      .string()
      .max(MOST_NAME + 64)
      .regex(pattern.LABEL_KEY, 'must be a label key'),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: z.array(LabelValue).max(256).optional(),
  }),
  {
    rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
    message: 'In and NotIn need values, Exists and DoesNotExist have none',
  },
);
/** Kubernetes' label selector, bounded. */
export const Selector = z.strictObject({
  matchLabels: Labels.optional(),
  matchExpressions: z.array(SelectorExpression).max(MOST_LABELS).optional(),
});
/** Brackets come in pairs, apart from those in texts; the hub compiles them. */
const isPaired = ([open, close]: readonly [string, string]): string => {
  const count = (bracket: string) =>
    `self.findAll(r'''${pattern.TEXT_OR}|[\\${bracket}]''').filter(t, t == '${bracket}').size()`;
  return `${count(open)} == ${count(close)}`;
};
const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const;
/** An expression in CEL. */
const Expression = withRules(
  z.string().min(1).max(MOST_EXPRESSION).meta({ pattern: pattern.EXPRESSION.source }),
  // One rule for each: an API server bounds the cost of a rule.
  ...BRACKETS.map((pair) => ({
    ...{ rule: isPaired(pair), message: `must have ${pair.join(' and ')} in pairs`, isServers: true as const },
  })),
);

/** Selector of clusters: both parts must match, an absent part matches all. */
export const ClusterSelector = z.strictObject({
  selector: Selector.optional(),
  expression: Expression.optional(),
});
export type ClusterSelector = z.infer<typeof ClusterSelector>;

/** Any JSON object. The API server keeps all of its fields. */
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
