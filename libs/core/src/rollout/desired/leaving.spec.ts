import { describe, expect, it } from 'vitest';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { type LeftSubject, leavingStep, needsRemoval } from './leaving.js';

const left: LeftSubject = {
  removal: 'Delete',
  isReplaced: false,
  isPaused: false,
  isDenied: false,
  isRemoved: false,
};

describe('a subject that is not to be in a cluster any more', () => {
  it.each<[Partial<LeftSubject>, string]>([
    [{ removal: 'Keep' }, 'Withdraw'],
    [{ removal: undefined }, 'Withdraw'],
    [{ removal: 'Keep', isPaused: true, isDenied: true }, 'Withdraw'],
    [{}, 'Remove'],
    [{ isPaused: true }, 'Wait'],
    [{ isDenied: true }, 'Wait'],
    [{ isReplaced: true }, 'Withdraw'],
    [{ isReplaced: true, isPaused: true }, 'Withdraw'],
    [{ isRemoved: true }, 'Withdraw'],
    [{ isRemoved: true, isDenied: true }, 'Withdraw'],
  ])('%j: %s', (change, step) => {
    expect(leavingStep({ ...left, ...change })).toBe(step);
  });
});

describe('a FleetOperator stays while it is deleted', () => {
  it.each([
    ['Delete', 'Classic', false, false, true],
    ['Delete', 'Classic', true, true, true],
    ['Delete', 'Classic', true, false, false],
    ['Delete', 'V1', false, true, true],
    ['Keep', 'Classic', false, true, false],
    ['Keep', 'Classic', true, true, false],
  ] as const)('removal %s, api %s, deleted %s, ordered %s: %s', (removal, api, isDeleted, isOrdered, stays) => {
    const spec = { removal, api } as FleetOperator['spec'];
    expect(needsRemoval({ spec }, isDeleted, isOrdered)).toBe(stays);
  });
});
