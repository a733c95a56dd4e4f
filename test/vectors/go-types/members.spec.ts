import { describe, expect, it } from 'vitest';
import { readTyped } from '#core/kernel/go-types/read-typed';
import { writtenTyped } from '#core/kernel/go-types/write-typed';
import { INPUTS, linesOf } from './inputs.js';

/** The codes of the Go program. */
const REFUSED = 0;
const OMITTED = 1;
const SAME = 2;
const PANICKED = 3;
type Outcome = number | readonly [unknown];

type Line = readonly [struct: string, member: string, absent: Outcome, ...given: Outcome[]];
const lines = linesOf<Line>('members.jsonl');

/** What Go makes of one member, and what we make of it, as one text each. */
type Case = Readonly<{ struct: string; value: Record<string, unknown>; go: string; ours: string }>;

function* cases(): Generator<Case> {
  for (const [struct, member, absent, ...given] of lines) {
    yield caseOf(struct, member, {}, absent);
    for (const [at, outcome] of given.entries()) {
      if (outcome !== PANICKED) yield caseOf(struct, member, { [member]: INPUTS[at] }, outcome);
    }
  }
}

function caseOf(struct: string, member: string, value: Record<string, unknown>, outcome: Outcome): Case {
  const wanted = outcome === SAME ? [value[member]] : outcome;
  return { struct, value, go: JSON.stringify(wanted), ours: JSON.stringify(written(struct, member, value)) };
}

function written(struct: string, member: string, value: Record<string, unknown>): Outcome {
  const decoded = writtenTyped<Record<string, unknown>>(struct, value);
  if (!decoded.ok) return REFUSED;
  return Object.hasOwn(decoded.value, member) ? [decoded.value[member]] : OMITTED;
}

/** Structs in which our readers take for granted what Go leaves out or has as null. */
const EXPECT_MORE = /^(?:alpha\.(?:Subscription|InstallPlan)|olmv1\.(?:ClusterObjectSet|ProgressionProbe))/;

describe('the members of the types that OLM decodes into', () => {
  it('are all there', () => {
    expect(lines).toHaveLength(1247);
    expect(lines.every((line) => line.length === 3 + INPUTS.length)).toBe(true);
  });

  it('are refused and written as by Go, whatever they hold', () => {
    expect([...cases()].filter(({ go, ours }) => go !== ours)).toEqual([]);
  });

  it('are read where they are written, and are then written alike', () => {
    const differs = ({ struct, value, ours }: Case): boolean => {
      const read = readTyped<Record<string, unknown>>(struct, value);
      if (!read.ok || EXPECT_MORE.test(struct)) return read.ok === (ours === String(REFUSED));
      return JSON.stringify(writtenTyped(struct, read.value)) !== JSON.stringify(writtenTyped(struct, value));
    };
    expect([...cases()].filter(({ ours }) => ours !== String(REFUSED)).filter(differs)).toEqual([]);
  });
});
