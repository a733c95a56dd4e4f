import { describe, expect, it } from 'vitest';
import { RecentUse } from './recent-use.js';

const MINUTE = 60_000;

describe('recent use', () => {
  it('ranks the pieces of each user by themselves', () => {
    const use = new RecentUse();
    expect([1, 2, 3].map(() => use.rankOfNext('west', 0))).toEqual([0, 1, 2]);
    expect(use.rankOfNext('east', 0)).toBe(0);
    use.takeBack('west', 0);
    expect(use.rankOfNext('west', 0)).toBe(2);
  });

  it('is forgotten by half every five minutes', () => {
    const use = new RecentUse();
    for (let count = 0; count < 100; count++) use.rankOfNext('west', 0);
    expect(use.rankOfNext('west', 5 * MINUTE)).toBe(50);
    expect(use.rankOfNext('west', 120 * MINUTE)).toBe(0);
  });

  it('counts no time twice, and none backwards', () => {
    const use = new RecentUse();
    use.rankOfNext('west', 10 * MINUTE);
    expect(use.rankOfNext('west', 0)).toBe(1);
    use.takeBack('west', 0);
    use.takeBack('west', 0);
    use.takeBack('west', 0);
    expect(use.rankOfNext('west', 0)).toBe(0);
  });
});
