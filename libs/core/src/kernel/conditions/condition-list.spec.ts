import { describe, expect, it } from 'vitest';
import { mergedConditions, type StoredCondition } from './condition-list.js';

const stored = (type: string, status: 'True' | 'False', message = ''): StoredCondition => ({
  ...{ type, status, reason: 'R', message },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const found = (type: string, status: 'True' | 'False', message = '') => ({ type, status, reason: 'R', message });
const NOW = '2026-02-02T00:00:00Z';

describe('conditions after new ones were found', () => {
  it('are the same list where nothing has changed', () => {
    const before = [stored('A', 'True'), stored('B', 'False')];
    expect(mergedConditions(before, [found('A', 'True')], NOW)).toBe(before);
  });

  it('have a new time where the status is another, and keep those of other types', () => {
    const before = [stored('B', 'True'), stored('Z', 'True')];
    expect(mergedConditions(before, [found('B', 'False'), found('A', 'True')], NOW)).toEqual([
      { ...found('A', 'True'), lastTransitionTime: NOW },
      { ...found('B', 'False'), lastTransitionTime: NOW },
      stored('Z', 'True'),
    ]);
  });

  it('keep their time where only the message is another', () => {
    expect(mergedConditions([stored('A', 'True')], [found('A', 'True', 'more')], NOW)).toEqual([
      stored('A', 'True', 'more'),
    ]);
  });
});
