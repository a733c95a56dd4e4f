import { describe, expect, it } from 'vitest';
import { stepCsv } from '../step-csv.js';
import { world } from '../world/csv-world.fixture.js';
import { INSTALLED_CASES } from './phase-cases-installed.fixture.js';
import { INSTALLING_CASES } from './phase-cases-installing.fixture.js';
import { PHASE_TABLE } from './phase-table.js';

const rowText = (phase: string, when: string, goes: string | undefined): string =>
  `${phase || '(none)'} | ${when} → ${goes ?? 'stays'}`;

const cases = Object.entries({ ...INSTALLING_CASES, ...INSTALLED_CASES }).flatMap(([phase, all]) =>
  all.map((one) => ({ ...one, row: rowText(phase, one.when, one.goes) })),
);

describe('csv-lifecycle.md §3, phase machine', () => {
  it.each(cases)('$row: $says', ({ csv, others = [], parts, goes, says, does }) => {
    const { status, actions } = stepCsv(csv, world({ ...parts, csvs: [csv, ...others] }));
    expect([status && `${status.phase} / ${status.reason}`, status?.message]).toEqual([goes, says]);
    if (does !== undefined) expect(actions).toMatchObject(does);
  });

  it('has a case for every row of the table, and no others', () => {
    const shown = new Set(cases.map(({ row }) => row));
    const rows = PHASE_TABLE.map(({ phase, when, to, reason }) => rowText(phase, when, to && `${to} / ${reason}`));
    expect([...shown].sort()).toEqual(rows.toSorted());
  });
});
