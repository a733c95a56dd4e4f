import { describe, expect, it } from 'vitest';
import { RedisUnreachable } from '../redis/redis-errors.js';
import { NestLog } from '../service/nest-log.js';
import { createLog } from './log.js';

function written() {
  const lines: string[] = [];
  const log = createLog({
    service: 'applier',
    level: 'debug',
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') };
}

describe('createLog', () => {
  it('writes JSON lines with time, level as a word, service, message and the facts', () => {
    const { log, last } = written();
    log.child({ cluster: 'east', namespace: 'apps' }).info({ name: 'etcd' }, 'installed');
    expect(last()).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'info',
      service: 'applier',
      cluster: 'east',
      namespace: 'apps',
      name: 'etcd',
      msg: 'installed',
    });
  });

  it.each([
    { fields: { password: 'hunter2' }, because: 'a field of that name' },
    { fields: { request: { authorization: 'Bearer hunter2' } }, because: 'one below' },
    { fields: { request: { headers: { authorization: 'Bearer hunter2' } } }, because: 'two below' },
    { fields: { url: 'redis://user:hunter2@redis:6379' }, because: 'within a URL' },
    { fields: { error: new Error('cannot reach https://u:hunter2@host/path') }, because: 'within an error' },
    {
      fields: { error: Object.assign(new Error('no'), { command: { args: ['hunter2'] } }) },
      because: 'hung onto an error',
    },
    { fields: { error: 'redis://:hunter2@redis' }, because: 'an error that is text' },
    { fields: {}, message: 'lost redis://:hunter2@redis:6379/0', because: 'within the message' },
  ])('keeps a secret to itself: $because', ({ fields, message = 'x' }) => {
    const { log, lines } = written();
    log.warn(fields, message);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hunter2');
  });

  it('holds no control character that a terminal would act on', () => {
    const { log, lines, last } = written();
    log.error({ reason: 'bad\x9b2J\u202etxt', error: new TypeError('bad\x9bJ') }, 'a\x1b[2J\x7fb');
    expect(lines.join('')).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(last()).toMatchObject({ msg: 'a\x1b[2J\x7fb', reason: 'bad\x9b2J\u202etxt' });
  });

  it('logs the code and the text of an error of ours, and the stack of any other', () => {
    const { log, last } = written();
    log.error({ error: new RedisUnreachable('redis://redis:6379', 'refused') }, 'x');
    expect(last().error).toEqual({
      type: 'RedisUnreachable',
      code: 'RedisUnreachable',
      message: 'Redis at redis://redis:6379 does not answer: refused',
    });
    log.error({ error: new TypeError('a bug') }, 'x');
    expect(last().error).toMatchObject({ type: 'TypeError', stack: expect.stringContaining('log.spec') });
  });
});

describe('NestLog', () => {
  it('passes Nest’s lines on, with the class they come from', () => {
    const { log, last } = written();
    const nest = new NestLog(log);
    nest.log('Nest application successfully started', 'NestApplication');
    expect(last()).toMatchObject({ level: 'debug', context: 'NestApplication' });
    nest.error('boom', 'at x', 'ExceptionsHandler');
    expect(last()).toMatchObject({ level: 'error', msg: 'boom', context: 'ExceptionsHandler', stack: 'at x' });
  });
});
