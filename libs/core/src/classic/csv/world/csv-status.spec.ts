import { describe, expect, it } from 'vitest';
import type { CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import { MAX_CSV_CONDITIONS, type PhaseVerdict, withPhase } from './csv-status.js';

const t0 = new Date('2026-01-01T00:00:00.900Z');
const t1 = new Date('2026-01-01T00:01:00Z');
const pending: PhaseVerdict = { phase: 'Pending', reason: 'RequirementsUnknown', message: 'not yet checked' };

describe('api-types.md §5, condition-history rule', () => {
  const first = withPhase(undefined, pending, t0);

  it('starts with one entry, times without fractions', () => {
    expect(first).toMatchObject({ phase: 'Pending', lastUpdateTime: '2026-01-01T00:00:00Z' });
    expect(first.conditions).toHaveLength(1);
  });

  it('gives back the very same status when nothing changed, so that nothing is written', () => {
    expect(withPhase(first, pending, t1)).toBe(first);
  });

  it.each<{ verdict: PhaseVerdict; entries: number; transition: string; because: string }>([
    {
      verdict: { ...pending, message: 'other words' },
      entries: 1,
      transition: '2026-01-01T00:00:00Z',
      because: 'a new message alone is not recorded',
    },
    {
      verdict: { ...pending, reason: 'RequirementsNotMet' },
      entries: 2,
      transition: '2026-01-01T00:00:00Z',
      because: 'a new reason is recorded, but is no transition',
    },
    {
      verdict: { ...pending, phase: 'InstallReady' },
      entries: 2,
      transition: '2026-01-01T00:01:00Z',
      because: 'a new phase is both',
    },
  ])('$because', ({ verdict, entries, transition }) => {
    const next = withPhase(first, verdict, t1);
    expect(next).toMatchObject({ ...verdict, lastUpdateTime: '2026-01-01T00:01:00Z', lastTransitionTime: transition });
    expect(next.conditions).toHaveLength(entries);
  });

  it('keeps the newest entries only, and everything else in the status', () => {
    let status: CsvStatus = { cleanup: {}, certsRotateAt: '2027-01-01T00:00:00Z' };
    for (let turn = 0; turn < MAX_CSV_CONDITIONS + 5; turn += 1) {
      status = withPhase(status, { ...pending, reason: `Reason${turn}` }, t1);
    }
    expect(status.conditions).toHaveLength(MAX_CSV_CONDITIONS);
    expect(status.conditions?.at(0)?.reason).toBe('Reason5');
    expect(status).toMatchObject({ cleanup: {}, certsRotateAt: '2027-01-01T00:00:00Z' });
  });
});
