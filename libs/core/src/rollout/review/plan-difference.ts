/** One difference that a plan makes in a cluster, as an approver reads it. */
export type PlanDifference = Readonly<{
  section: 'operators' | 'images' | 'crds' | 'permissions' | 'workloads' | 'objects';
  /** Draws attention: versions of a CRD that go, permissions that grow, privileged containers. */
  risk: boolean;
  sign: '+' | '-' | '~';
  /** The object or thing. */
  what: string;
  text: string;
  /** Lines of a difference, each with its sign. Empty if the text is complete without them. */
  lines: readonly string[];
}>;

/** A difference that the text says alone. */
export const difference = (
  section: PlanDifference['section'],
  sign: PlanDifference['sign'],
  what: string,
  text: string,
  more: Partial<Pick<PlanDifference, 'risk' | 'lines'>> = {},
): PlanDifference => ({ section, sign, what, text, risk: false, lines: [], ...more });
