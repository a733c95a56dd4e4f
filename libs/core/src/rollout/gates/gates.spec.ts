import { describe, expect, it } from 'vitest';
import { CelCheck } from '../../kernel/api/fleet/fleet-strategy.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { celAnswer } from './cel-check.js';
import { prometheusAnswer, queryFor } from './prometheus-answer.js';

const lamp = (name: string, status: object | undefined): KubernetesObject => ({
  ...{ apiVersion: 'lamp.example.com/v1', kind: 'Lamp', metadata: { name, namespace: 'lamps', labels: { of: 'us' } } },
  ...(status === undefined ? {} : { status }),
});
const check = (more: object) =>
  CelCheck.parse({
    apiVersion: 'lamp.example.com/v1',
    kind: 'Lamp',
    selector: { matchLabels: { of: 'us' } },
    expression: "object.status.lamp == 'lit'",
    ...more,
  });

describe('a check of objects in CEL', () => {
  it.each([
    ['holds for each', {}, [lamp('a', { lamp: 'lit' }), lamp('b', { lamp: 'lit' })], { green: true, message: '' }],
    [
      'does not hold for one',
      {},
      [lamp('a', { lamp: 'lit' }), lamp('b', { lamp: 'dark' })],
      { green: false, message: 'Lamp lamps/b: the expression is false' },
    ],
    ['has no object', {}, [], { message: 'there is no Lamp to check' }],
    [
      'meets a missing field',
      {},
      [lamp('a', undefined)],
      { message: 'Lamp lamps/a: the expression cannot be evaluated' },
    ],
    [
      'is of one name',
      { selector: undefined, name: 'a' },
      [lamp('a', { lamp: 'lit' }), lamp('b', { lamp: 'dark' })],
      { green: true, message: '' },
    ],
  ])('that %s', (_what, more, objects, expected) => {
    expect(celAnswer(check(more), objects)).toEqual(expected);
  });

  it('says why an expression cannot be read', () => {
    expect(celAnswer(check({ expression: 'object.(' }), []).message).toContain('failed to compile cel rule');
  });
});

describe('a check of a Prometheus server', () => {
  const vector = (...values: string[]) => ({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  });
  it.each([
    ['within max', vector('0.005', '0.01'), { max: 0.01 }, { green: true, message: '' }],
    ['one above max', vector('0.005', '0.02'), { max: 0.01 }, { green: false, message: '0.02 is more than 0.01' }],
    ['below min', vector('1'), { min: 2 }, { green: false, message: '1 is less than 2' }],
    [
      'a scalar',
      { status: 'success', data: { resultType: 'scalar', result: [1, '3'] } },
      { min: 2 },
      { green: true, message: '' },
    ],
    ['no value', vector(), { max: 1 }, { message: 'the query gave no value' }],
    ['not a number', vector('NaN'), { max: 1 }, { message: 'the query gave no value' }],
    ['an error', { status: 'error' }, { max: 1 }, { message: 'the answer is not that of an instant query' }],
  ])('%s', (_what, body, bound, expected) => {
    expect(prometheusAnswer(body, bound)).toEqual(expected);
  });

  it('names the cluster inside of a string of the query', () => {
    expect(queryFor('up{cluster="$cluster"}', 'store"1')).toBe('up{cluster="store\\"1"}');
  });
});
