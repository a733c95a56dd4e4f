/** How an object fares, the most urgent first: somebody must act on the first three; time alone may mend the fourth. */
export const STANDINGS = ['failed', 'blocked', 'needs-approval', 'under-way', 'well'] as const;
export type Standing = (typeof STANDINGS)[number];

/**
 * One object's state as one story: `because` goes from what is seen to what causes it, `todo` says what somebody can do, in
 * the order in which it should be tried.
 */
export type Diagnosis = Readonly<{ standing: Standing; because: readonly string[]; todo: readonly string[] }>;

export const diagnosis = (
  standing: Standing,
  because: string | readonly string[],
  todo: string | readonly string[] = [],
): Diagnosis => ({ standing, because: [because].flat(), todo: [todo].flat() });

/** The cause told after what it leads to. */
export const causedBy = (seen: string, cause: Diagnosis, standing: Standing = cause.standing): Diagnosis => ({
  ...cause,
  standing,
  because: [seen, ...cause.because],
});

/** For sorting: smaller is more urgent. */
export const urgency = (standing: Standing): number => STANDINGS.indexOf(standing);

/** A text as one line that ends like a sentence. */
export const sentence = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return /[.!?]$/.test(line) ? line : `${line}.`;
};
