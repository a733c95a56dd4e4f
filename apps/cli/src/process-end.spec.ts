import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { finished } from './process-end.js';

describe('finished', () => {
  it('reports a command that waits for what can never come', () => {
    const process = new EventEmitter();
    const reported: string[] = [];
    void finished(new Promise(() => undefined), process, () => reported.push('unfinished'));
    process.emit('beforeExit');
    expect(reported).toEqual(['unfinished']);
  });

  it('reports nothing once the command is done', async () => {
    const process = new EventEmitter();
    const reported: string[] = [];
    await finished(Promise.resolve(), process, () => reported.push('unfinished'));
    process.emit('beforeExit');
    expect(reported).toEqual([]);
  });
});
