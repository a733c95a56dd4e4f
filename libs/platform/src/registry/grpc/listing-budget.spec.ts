import { beforeEach, describe, expect, it } from 'vitest';
import { ListingBudget, type Received } from './listing-budget.js';

const NEVER = new AbortController().signal;
let budget: ListingBudget;
beforeEach(() => {
  budget = new ListingBudget(100);
});
const begun = (bytes: number): Received => Object.assign(budget.begin(), { bytes });

describe('the budget of listings', () => {
  it('lets the first one take all, and the others their part together', () => {
    const first = begun(1_000);
    const [second, third] = [begun(60), begun(40)];
    expect([first, second, third].map((one) => budget.room(one, NEVER))).toEqual([undefined, undefined, undefined]);
    third.bytes += 1;
    expect(budget.room(first, NEVER)).toBeUndefined();
    expect(budget.room(second, NEVER)).toBeInstanceOf(Promise);
  });

  it('has those that wait go on once one ends, the oldest as the first one', async () => {
    const first = begun(1_000);
    const [second, third] = [begun(90), begun(90)];
    const order: string[] = [];
    const goes = (name: string, one: Received) => budget.room(one, NEVER)?.then(() => order.push(name));
    const waiting = [goes('third', third), goes('second', second)];
    budget.end(first);
    await Promise.all(waiting);
    expect(order).toHaveLength(2);
    second.bytes = 5_000;
    third.bytes = 101;
    expect(budget.room(second, NEVER)).toBeUndefined();
    expect(budget.room(third, NEVER)).toBeInstanceOf(Promise);
  });

  it('gives up what waits for longer than its call may take', async () => {
    begun(1_000);
    const second = begun(101);
    const call = new AbortController();
    const room = budget.room(second, call.signal);
    call.abort(new Error('too late'));
    await expect(room).rejects.toThrow('too late');
  });
});
