import { describe, expect, it } from 'vitest';
import { pause } from './patience.js';
import { settles } from './settles.js';

describe('settles', () => {
  it('gives the value or the error of work that ends', async () => {
    expect(await settles(pause(1), 'the reader')).toBeUndefined();
    await expect(settles(Promise.reject(new Error('broken')), 'the reader')).rejects.toThrow('broken');
  });

  it('rejects if nothing is left that could end the work', async () => {
    const never = new Promise(() => undefined);
    await expect(settles(never, 'the reader')).rejects.toThrow('the reader never settles');
  });
});
