import { describe, expect, it } from 'vitest';
import { changeOf } from './change-id.js';

const SHOP = { cluster: 'east', namespace: 'shop' };
const PROBLEM = 'a'.repeat(64);

describe('the name of a change', () => {
  it('is the same wherever it is made, and has the form of the id of a trace', () => {
    expect(changeOf(SHOP, PROBLEM)).toBe(changeOf({ namespace: 'shop', cluster: 'east' }, PROBLEM));
    expect(changeOf(SHOP, PROBLEM)).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['another problem', SHOP, 'b'.repeat(64)],
    ['another namespace', { ...SHOP, namespace: 'bar' }, PROBLEM],
    ['another cluster', { ...SHOP, cluster: 'west' }, PROBLEM],
    ['names that are divided elsewhere', { cluster: 'easts', namespace: 'hop' }, PROBLEM],
  ])('is another one for %s', (_, owner, problem) => {
    expect(changeOf(owner, problem)).not.toBe(changeOf(SHOP, PROBLEM));
  });
});
