import { describe, expect, it } from 'vitest';
import { world } from './csv-world.fixture.js';
import { INSTALLED_CASES } from './phase-cases-installed.fixture.js';
import { INSTALLING_CASES } from './phase-cases-installing.fixture.js';
import { PHASE_TABLE } from './phase-table.js';
import { stepCsv } from './step-csv.js';

const cases = Object.entries({ ...INSTALLING_CASES, ...INSTALLED_CASES }).flatMap(([phase, all]) =>
  all.map((one) => {
    const row = `${phase || '(none)'} | ${one.when}`;
    const { to, reason } = PHASE_TABLE.find(({ phase: from, when }) => from === phase && when === one.when) ?? {};
    const target = to === undefined ? 'stays' : `${to} / ${reason} / ${one.says}`;
    return { ...one, row, to, reason, title: `${row} → ${target}` };
  }),
);

describe('csv-lifecycle.md §3, phase machine', () => {
  it.each(cases)('$title', ({ csv, others = [], parts, to, reason, says, does }) => {
    const { status, actions } = stepCsv(csv, world({ ...parts, csvs: [csv, ...others] }));
    expect([status?.phase, status?.reason, status?.message]).toEqual([to, reason, says]);
    if (does !== undefined) expect(actions).toMatchObject(does);
  });

  it('has a case for every row of the table', () => {
    const shown = new Set(cases.map(({ row }) => row));
    const rows = PHASE_TABLE.map(({ phase, when }) => `${phase || '(none)'} | ${when}`);
    expect(rows.filter((row) => !shown.has(row))).toEqual([]);
  });
});
