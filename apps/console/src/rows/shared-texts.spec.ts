import { expect, it } from 'vitest';
import { clusterRow, operatorRow } from '../console.fixture.js';
import { SharedTexts } from './shared-texts.js';

it('keeps every row as it is', () => {
  const texts = new SharedTexts();
  const cause = { code: 'plan-failed', kind: 'InstallPlan', names: ['harbor'], text: 'plan failed' };
  for (const row of [clusterRow('east'), operatorRow('east', 'harbor', { standing: 'failed', cause })])
    expect(texts.row(JSON.parse(JSON.stringify(row)))).toEqual(row);
});
