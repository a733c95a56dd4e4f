import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { Advice } from '../advice/advice.js';
import type { CauseCode } from './cause-codes.js';

/**
 * Health of an object, the most urgent first. The first three need a user; the fourth may
 * be solved by time alone.
 */
export const HEALTH_STATES = ['failed', 'blocked', 'needs-approval', 'under-way', 'well'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/**
 * The state of one object, explained. `because` leads from the symptom to its cause. `todo` lists actions of
 * a user in the order in which to try them.
 */
export type Diagnosis = Readonly<{
  /** The rule that holds: equal for equal causes, and stable over releases. */
  code: CauseCode;
  standing: HealthState;
  because: readonly string[];
  todo: readonly Advice[];
  /** The object that has the cause, if it is another one. */
  root?: Named;
  /** The ClusterServiceVersion that runs although its Subscription is not healthy. */
  stillRuns?: string;
}>;

/** An object as people name it. */
export type Named = Readonly<{ kind: string; namespace?: string | undefined; name: string }>;

export const named = ({ kind, metadata }: KubernetesObject): Named => ({
  kind,
  namespace: metadata.namespace,
  name: metadata.name ?? '',
});

export const diagnosis = (
  code: CauseCode,
  standing: HealthState,
  because: string | readonly string[],
  todo: Advice | readonly Advice[] = [],
): Diagnosis => ({ code, standing, because: [because].flat(), todo: [todo].flat() });

/** Returns a diagnosis with the symptom first, then the cause at another object. */
export const causedBy = (seen: string, root: KubernetesObject, cause: Diagnosis): Diagnosis => ({
  ...cause,
  because: [seen, ...cause.because],
  root: named(root),
});

/** Returns a sort key: smaller is more urgent. */
export const urgency = (standing: HealthState): number => HEALTH_STATES.indexOf(standing);

/** A text as one line that ends like a sentence. */
export const sentence = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
};
