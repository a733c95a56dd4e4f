import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withPhase } from '../../classic/csv/world/csv-status.js';
import { withInstalled } from '../../classic/install-plan/plan/plan-conditions.js';
import { withCondition } from '../../classic/subscription/subscription-change.js';
import { stampConditions } from '../../v1/extension/stamp-conditions.js';
import { clipMessage, MAX_MESSAGE_BYTES } from './clip-message.js';

const PLAN = { phase: 'Installing', catalogSources: [] };
const NOW = '2026-11-22T12:00:00Z';
const HUGE = `bad range "${'>=1.0.0 '.repeat(400_000)}"`;
const bytesOf = (text: string) => Buffer.byteLength(text);

describe('a clipped message', () => {
  it('says how much of it is missing', () => {
    expect(clipMessage('x'.repeat(100), 50)).toBe(`${'x'.repeat(21)}… (clipped: 79 more bytes)`);
  });

  it('fits, holds whole characters, begins as the message does, and is not clipped again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 64, max: 400 }), (text, max) => {
        const clipped = clipMessage(text, max);
        expect(bytesOf(clipped)).toBeLessThanOrEqual(max);
        expect(clipMessage(clipped, max)).toBe(clipped);
        if (bytesOf(text) <= max) expect(clipped).toBe(text);
        else expect(text.startsWith(clipped.replace(/… \(clipped: \d+ more bytes\)$/, ''))).toBe(true);
        expect(clipped.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });
});

describe('a message of 3 MiB, as a catalog can cause it', () => {
  const now = new Date(NOW);
  it.each([
    {
      kind: 'Subscription',
      status: () => withCondition({}, { type: 'ResolutionFailed', status: 'True', message: HUGE }, NOW).conditions,
    },
    {
      kind: 'InstallPlan',
      status: () => withInstalled(PLAN, { status: 'False', message: HUGE }, NOW).conditions,
    },
    {
      kind: 'ClusterServiceVersion',
      status: () => [withPhase(undefined, { phase: 'Failed', reason: 'X', message: HUGE }, now)],
    },
    {
      kind: 'ClusterExtension',
      status: () =>
        stampConditions([], [{ type: 'Progressing', status: 'True', reason: 'Retrying', message: HUGE }], 1, now),
    },
  ])('is clipped in the status of a $kind', ({ status }) => {
    const [said] = status() ?? [];
    expect(said?.message).toMatch(/^bad range ">=1.0.0 .*… \(clipped: \d+ more bytes\)$/);
    expect(bytesOf(said?.message ?? '')).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
  });

  it('that stays the same is no change', () => {
    const wanted = { type: 'ResolutionFailed', status: 'True', message: HUGE } as const;
    const before = withCondition({}, wanted, NOW);
    expect(withCondition(before, wanted, '2026-11-22T13:00:00Z')).toBe(before);
    const verdict = { status: 'False', message: HUGE } as const;
    const plan = withInstalled(PLAN, verdict, NOW);
    expect(withInstalled(plan, verdict, '2026-11-22T13:00:00Z')).toBe(plan);
    const failed = { phase: 'Failed', reason: 'X', message: HUGE } as const;
    const csv = withPhase(undefined, failed, now);
    expect(withPhase(csv, failed, new Date('2026-11-22T13:00:00Z'))).toBe(csv);
  });
});
