import type { PackageRecord } from '../../../catalog/model/package-record.js';
import { visibleText } from '../../../kernel/text/visible-text.js';
import { ConstraintBuilder } from '../constraints/build-constraints.js';
import type { ConstraintSystem } from '../constraints/constraint-system.js';
import { constraintText } from '../constraints/constraint-text.js';
import { clashOf } from '../constraints/picked-entries.js';
import { badRequirement, snapshotOf, tooHard } from '../constraints/prepare.js';
import { Snapshot } from '../constraints/snapshot.js';
import { explain } from '../explain/explain.js';
import { saysGivenUp } from '../problem/given-up.js';
import type { Resolution, ResolutionProblem } from '../problem/resolution-problem.js';
import { search } from '../search/preference-search.js';

export type FailedAnswer = Exclude<Resolution, { result: 'resolved' }>;

/** The answer with texts that were made here, or why the one that was claimed is refused. */
type VerifiedFailure = Readonly<{ answer: FailedAnswer }> | Readonly<{ refusal: string }>;

/**
 * A core is proven again, a whole problem is only tried: a check must not take as
 * long as a hard problem does.
 */
const CHECK_BUDGET = { conflicts: 1_000, work: 20_000_000 };
/** Limit of a condition's message in the API of Kubernetes. */
const LONGEST_TEXT = 32_768;
const PREFIX = 'constraints not satisfiable: ';
const SEPARATOR = ', ';

/**
 * Checks a "no" from another process before it is written into a condition. Its words must be those of the
 * problem's own constraints, and these are shown not to hold together. Its advice is recreated. If a short
 * search finds a solution, a claim that the problem cannot be asked, or is too hard, is refused. With
 * isolation a "no" follows from concessions that are not repeated here: its texts are bounded and made
 * visible.
 *
 * @param record gives the package record of a hash; the caller has checked it against the hash
 */
export function verifyFailure(
  problem: ResolutionProblem,
  record: (hash: string) => PackageRecord,
  claimed: FailedAnswer,
): VerifiedFailure {
  const snapshot = snapshotOf(problem, record);
  if (!(snapshot instanceof Snapshot)) return { answer: snapshot };
  const { wishes: desiredNamespace } = problem;
  if (desiredNamespace.operatorGroups[0]?.isolate === true) return { answer: bounded(claimed) };
  const builder = new ConstraintBuilder(snapshot);
  builder.addInstalled();
  const errors = desiredNamespace.subscriptions.flatMap((desired) => builder.addSubscription(desired));
  if (errors.length > 0) return { answer: badRequirement(errors) };
  const system = builder.build();
  return claimed.result === 'unsatisfiable'
    ? verifiedCore(system, snapshot, claimed)
    : verifiedError(system, builder, claimed);
}

function verifiedCore(
  system: ConstraintSystem,
  snapshot: Snapshot,
  { message }: Extract<FailedAnswer, { result: 'unsatisfiable' }>,
): VerifiedFailure {
  const core = coreNamedBy(String(message), system);
  if (core === undefined) return { refusal: 'its message is not made of constraints of the problem' };
  const { variables } = system;
  const found = search(
    { variables, constraints: core.flatMap((index) => system.constraints[index] ?? []) },
    CHECK_BUDGET,
  );
  if (found.verdict === 'satisfiable') return { refusal: 'the constraints that it names hold together' };
  return { answer: { ...explain(system, core, snapshot), message } };
}

function verifiedError(
  system: ConstraintSystem,
  builder: ConstraintBuilder,
  { message, ...claimed }: Extract<FailedAnswer, { result: 'error' }>,
): VerifiedFailure {
  const found = search(system, CHECK_BUDGET);
  const clash = found.verdict === 'satisfiable' ? clashOf(builder, found.picked) : undefined;
  if (clash !== undefined) return { answer: clash };
  if (found.verdict === 'satisfiable') return { refusal: 'the problem has a solution' };
  if (!saysGivenUp(String(message))) return { refusal: 'its message is none that a resolver has' };
  const { code, ...own } = tooHard(found.conflicts);
  return { answer: { ...own, message, ...(claimed.code === code && code !== undefined ? { code } : {}) } };
}

/**
 * Returns the constraints with texts that form the message, separated by commas. Undefined if there are none.
 */
function coreNamedBy(message: string, system: ConstraintSystem): readonly number[] | undefined {
  if (!message.startsWith(PREFIX)) return undefined;
  const byText = new Map<string, number[]>();
  for (const [index, constraint] of system.constraints.entries()) {
    const text = constraintText(constraint, system);
    if (message.includes(text)) byText.set(text, [...(byText.get(text) ?? []), index]);
  }
  const texts = partsOf(message, PREFIX.length, [...byText.keys()]);
  return texts && [...new Set(texts)].flatMap((text) => byText.get(text) ?? []);
}

type Step = Readonly<{ from: number; text: string }>;

/**
 * The message from `start` on as a sequence of these texts. They hold commas themselves, so
 * each place is tried once.
 */
function partsOf(message: string, start: number, texts: readonly string[]): readonly string[] | undefined {
  const cameBy = new Map<number, Step>();
  const pending = [start];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const { next, text } of stepsFrom(at, message, texts)) {
      if (cameBy.has(next)) continue;
      cameBy.set(next, { from: at, text });
      if (next < message.length) pending.push(next);
    }
  }
  return wayTo(message.length, start, cameBy);
}

/** Returns the texts found at the place, followed by a comma or the end, and the start of the next one. */
const stepsFrom = (at: number, message: string, texts: readonly string[]) =>
  texts.flatMap((text) => {
    const end = at + text.length;
    if (!message.startsWith(text, at)) return [];
    if (end === message.length) return [{ next: end, text }];
    return message.startsWith(SEPARATOR, end) ? [{ next: end + SEPARATOR.length, text }] : [];
  });

function wayTo(end: number, start: number, cameBy: ReadonlyMap<number, Step>): readonly string[] | undefined {
  const parts: string[] = [];
  for (let at = end; at !== start; ) {
    const step = cameBy.get(at);
    if (step === undefined) return undefined;
    parts.push(step.text);
    at = step.from;
  }
  return parts.length === 0 ? undefined : parts;
}

/** Bounds a "no" with words that cannot be recreated. */
export const bounded = <A extends Readonly<{ message: string; advice: string }>>(answer: A): A => ({
  ...answer,
  message: boundedText(answer.message),
  advice: boundedText(answer.advice),
});

const boundedText = (text: unknown): string => visibleText(String(text).slice(0, LONGEST_TEXT));
