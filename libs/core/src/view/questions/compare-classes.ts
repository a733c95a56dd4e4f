/** A difference that a plan makes, as a review has it. */
type ComparedDifference = Readonly<{
  section: string;
  risk: boolean;
  sign: string;
  what: string;
  text: string;
  lines: readonly string[];
}>;

/** A difference with the places of the classes that make it. */
type ClassDifference<D> = Readonly<{ difference: D; classes: readonly number[] }>;

/** Differences of several plan classes: those of all of them, and those of some. */
type ComparedClasses<D> = Readonly<{ common: readonly D[]; some: readonly ClassDifference<D>[] }>;

const keyOf = ({ section, sign, what, text, lines }: ComparedDifference): string =>
  JSON.stringify([section, sign, what, text, lines]);

/**
 * Compares the differences of plan classes. A difference is common if each class makes exactly this one.
 * Differences that draw attention come first. Several groups of one class count together.
 */
export function compareClasses<D extends ComparedDifference>(classes: readonly (readonly D[])[]): ComparedClasses<D> {
  const known = new Map<string, { difference: D; classes: Set<number> }>();
  for (const [at, differences] of classes.entries()) {
    for (const difference of differences) {
      const key = keyOf(difference);
      const one = known.get(key) ?? { difference, classes: new Set<number>() };
      known.set(key, one);
      one.classes.add(at);
    }
  }
  const riskFirst = [...known.values()].toSorted((a, b) => Number(b.difference.risk) - Number(a.difference.risk));
  const isCommon = (one: (typeof riskFirst)[number]) => one.classes.size === classes.length;
  return {
    common: riskFirst.filter(isCommon).map(({ difference }) => difference),
    some: riskFirst
      .filter((one) => !isCommon(one))
      .map(({ difference, classes: of }) => ({ difference, classes: [...of] })),
  };
}
