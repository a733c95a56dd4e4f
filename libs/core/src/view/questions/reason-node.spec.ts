import { describe, expect, it } from 'vitest';
import type { Reason } from '../../classic/resolution/problem/resolution-problem.js';
import { conflictTree } from './reason-node.js';

const reason = (kind: Reason['kind'], text: string, because: readonly Reason[] = []): Reason => ({
  ...{ kind, text, because, subject: text, facts: {} },
});
const missing = reason('missing', 'no package lamp');

describe('the tree of a conflict', () => {
  it('is none without reasons, its one reason, or the namespace with several', () => {
    expect(conflictTree('lamps', [])).toBeUndefined();
    expect(conflictTree('lamps', [reason('subscription', 'lamp', [missing])])).toEqual({
      ...{ text: 'lamp', role: 'desired', edge: '' },
      children: [{ text: 'no package lamp', role: 'obstacle', edge: 'but', children: [] }],
    });
    expect(conflictTree('lamps', [missing, missing])).toMatchObject({
      text: 'Namespace lamps',
      children: [{ edge: 'but' }, { edge: 'but' }],
    });
  });

  it('says how much more there is where it would be too wide or too deep', () => {
    const wide = conflictTree('lamps', [
      reason(
        'subscription',
        'lamp',
        Array.from({ length: 15 }, () => missing),
      ),
    ]);
    expect(wide?.children).toHaveLength(13);
    expect(wide?.children.at(-1)).toEqual({ text: '3 more reasons', role: 'note', edge: '', children: [] });
    let deep = missing;
    for (let depth = 0; depth < 20; depth += 1) deep = reason('requires', `needs ${depth}`, [deep]);
    const text = JSON.stringify(conflictTree('lamps', [deep]));
    expect(text.match(/"role"/g)).toHaveLength(9);
    expect(text).toContain('1 more reason"');
  });
});
