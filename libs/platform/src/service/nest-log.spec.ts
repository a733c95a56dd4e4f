import { describe, expect, it } from 'vitest';
import type { Log } from '../telemetry/log.port.js';
import { NestLog } from './nest-log.js';

function logged() {
  const lines: unknown[] = [];
  const at = (level: string) => (fields: unknown, message: string) => void lines.push([level, fields, message]);
  const sink: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { nest: new NestLog(sink), lines };
}

describe('NestLog', () => {
  it.each([
    { method: 'log', level: 'debug' },
    { method: 'debug', level: 'debug' },
    { method: 'verbose', level: 'debug' },
    { method: 'warn', level: 'warn' },
    { method: 'error', level: 'error' },
    { method: 'fatal', level: 'error' },
  ] as const)('writes what Nest calls $method at level $level', ({ method, level }) => {
    const { nest, lines } = logged();
    nest[method]('mapped a route', 'RoutesResolver');
    expect(lines).toEqual([[level, { context: 'RoutesResolver' }, 'mapped a route']]);
  });

  it.each([
    { because: 'a message alone', given: ['m'], line: [{}, 'm'] },
    {
      because: 'the stack of an error, then the class',
      given: ['m', 'at x', 'Class'],
      line: [{ context: 'Class', stack: 'at x' }, 'm'],
    },
    { because: 'no stack', given: ['m', undefined, 'Class'], line: [{ context: 'Class' }, 'm'] },
    { because: 'an error', given: [new TypeError('of a type'), 'Class'], line: [{ context: 'Class' }, 'of a type'] },
    { because: 'something else', given: [42], line: [{}, '42'] },
  ])('writes $because', ({ given: [message, ...rest], line }) => {
    const { nest, lines } = logged();
    nest.error(message, ...rest);
    expect(lines).toEqual([['error', ...line]]);
  });
});
