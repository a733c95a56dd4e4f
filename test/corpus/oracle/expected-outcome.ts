import type { Expectation, Naming } from '../oddities/oddity.js';

/** The expected outcome of a bundle or catalog as a whole. */
export type ExpectedOutcome = Readonly<{
  /** Troubles that `validate` names: all of them, and the first one of `oneOf`. */
  validate: Readonly<{ all: readonly Naming[]; oneOf: readonly Naming[] }>;
  plan: 'yes' | 'no';
  /** Troubles that OLM v1 alone has. */
  inExtension: readonly Naming[];
  /** `refused`: one of the troubles is in a status. */
  install: Readonly<{ ends: 'installed' } | { ends: 'refused'; oneOf: readonly Naming[]; applied: boolean }>;
}>;

type Of<V extends Expectation['verdict']> = Extract<Expectation, { verdict: V }>;
const isOf =
  <V extends Expectation['verdict']>(verdict: V) =>
  (one: Expectation): one is Of<V> =>
    one.verdict === verdict;

/** Puts the outcomes of single oddities together. Nothing of the product is asked. */
export function expectedOutcome(expectations: readonly Expectation[]): ExpectedOutcome {
  const refused = expectations.filter(isOf('refused'));
  const advised = expectations.filter(isOf('advised'));
  const unmet = expectations.filter(isOf('unmet'));
  const reading = refused.filter((one) => one.reading === true);
  const troubles = [...refused, ...advised].map(({ named }) => named);
  const no = refused.length > 0 || unmet.some(({ plan }) => plan === 'no');
  const ends = [...refused, ...unmet];
  return {
    // A reader that fails knows nothing of the rest.
    validate: reading.length > 0 ? { all: [], oneOf: troubles } : { all: troubles, oneOf: [] },
    plan: no ? 'no' : 'yes',
    inExtension: expectations.filter(isOf('accepted')).flatMap(({ inExtension }) => inExtension ?? []),
    install:
      ends.length === 0
        ? { ends: 'installed' }
        : {
            ends: 'refused',
            oneOf: ends.map(({ named }) => named),
            applied: refused.every((one) => one.applied === true),
          },
  };
}

/** True if a line names the trouble and its place. */
export const names = (line: string, { place, words }: Naming): boolean =>
  words.every((word) => line.toLowerCase().includes(word.toLowerCase())) &&
  place.some((one) => isIn(line, typeof one === 'string' ? one : one()));

/** True if a line has the name, or its beginning or end if it is too long for a line. */
const isIn = (line: string, name: string): boolean =>
  line.includes(name) ||
  line.split(/[\s:()"]+/).some((part) => {
    const [head = '', tail = ''] = part.split('…');
    return tail.length >= LEAST && name.endsWith(tail)
      ? true
      : part.includes('…') && head.length >= LEAST && name.startsWith(head);
  });

const LEAST = 8;

/** The troubles as a reader of findings wants them. */
export const shownNaming = ({ place, words }: Naming): string =>
  `${words.join(' + ')} of ${place.map((one) => (typeof one === 'string' ? one : one())).join(' or ')}`;
