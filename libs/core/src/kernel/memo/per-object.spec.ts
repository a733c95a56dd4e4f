import { describe, expect, it } from 'vitest';
import { perObject } from './per-object.js';

describe('what is computed for each object', () => {
  it('is computed once, also where it is undefined', () => {
    const computed: string[] = [];
    const first = perObject(({ name }: Readonly<{ name: string }>) => {
      computed.push(name);
      return name === 'none' ? undefined : name.slice(0, 1);
    });
    const [lamp, none] = [{ name: 'lamp' }, { name: 'none' }];
    expect([first(lamp), first(none), first(lamp), first(none)]).toEqual(['l', undefined, 'l', undefined]);
    expect(computed).toEqual(['lamp', 'none']);
  });

  it('is computed anew for another object that is equal', () => {
    let count = 0;
    const next = perObject(() => ++count);
    expect([next({}), next({})]).toEqual([1, 2]);
  });
});
