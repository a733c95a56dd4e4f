import { describe, expect, it } from 'vitest';
import {
  bytes,
  bytesOrAuto,
  count,
  duration,
  flag,
  list,
  oneOf,
  ownPort,
  pairs,
  path,
  port,
  type Setting,
  someOf,
  text,
  url,
} from './setting.js';

const HOME = { HOME: '/home/ada' };
type Row = Readonly<{ of: string; setting: Setting<unknown>; text: string; value: unknown }>;
const rows = (of: string, setting: Setting<unknown>, values: Readonly<Record<string, unknown>>): Row[] =>
  Object.entries(values).map(([given, value]) => ({ of, setting, text: given, value }));

const levels = someOf(['red', 'green', 'blue'], ['red'], 'colours');
const NONE = undefined;

describe('a text in the environment', () => {
  it.each<Row>([
    ...rows('duration', duration('1m', ''), {
      '15m': 900_000,
      '1h30m': 5_400_000,
      '250ms': 250,
      '0': 0,
      '-1s': NONE,
      '15': NONE,
      '': NONE,
    }),
    ...rows('duration of a second or more', duration('1m', '', { min: '1s' }), { '1s': 1_000, '999ms': NONE }),
    ...rows('bytes', bytes('1Mi', ''), {
      '512Mi': 536_870_912,
      '4Gi': 4_294_967_296,
      '1000': 1_000,
      '1k': 1_000,
      '0': NONE,
      '1MB': NONE,
      auto: NONE,
      '-1': NONE,
    }),
    ...rows('bytes or auto', bytesOrAuto(''), { auto: 'auto', '1Ki': 1_024, AUTO: NONE, '': NONE }),
    ...rows('number', count(3, '', { min: 1, max: 10 }), {
      '1': 1,
      '10': 10,
      '0': NONE,
      '11': NONE,
      '1.5': NONE,
      '-1': NONE,
      '0x5': NONE,
      '1e1': NONE,
      ' 1': NONE,
      '': NONE,
    }),
    ...rows('port', port(80, ''), { '0': 0, '65535': 65_535, '65536': NONE }),
    ...rows('port or same', ownPort(''), { same: 'same', '8080': 8_080, '65536': NONE, other: NONE }),
    ...rows('flag', flag(false, ''), {
      true: true,
      '1': true,
      True: true,
      FALSE: false,
      '0': false,
      yes: NONE,
      '': NONE,
      constructor: NONE,
    }),
    ...rows('list', list(''), { '': [], a: ['a'], ' a , b,': ['a', 'b'], ',,': [], 'a b': ['a b'] }),
    ...rows('some of', levels, {
      red: ['red'],
      'blue,red': ['red', 'blue'],
      ' RED ': ['red'],
      'red,red': ['red'],
      pink: NONE,
      'red,pink': NONE,
      '': NONE,
    }),
    ...rows('one of', oneOf(['json', 'text'], 'json', ''), { json: 'json', TEXT: 'text', xml: NONE, '': NONE }),
    ...rows('text', text('', ''), { '': '', ' x ': ' x ' }),
    ...rows('text of a form', text('', '', { pattern: /^[a-z]+$/ }), { abc: 'abc', ABC: NONE, '': NONE }),
    ...rows('path', path('', ''), {
      '/etc/x': '/etc/x',
      '~/x/y': '/home/ada/x/y',
      '~ada/x': '~ada/x',
      './~/x': './~/x',
      '': '',
    }),
    ...rows('URL', url(''), {
      '': '',
      'http://catalog-poller:8080': 'http://catalog-poller:8080',
      'https://h.test/path': 'https://h.test/path',
      'ftp://h.test': NONE,
      'h.test:8080': NONE,
      'http://': NONE,
      'http://h test': NONE,
      'http://h.test:99999': NONE,
    }),
  ])('is a $of: "$text" is $value', ({ setting, text: given, value }) => {
    expect(setting.parse(given, HOME)).toEqual(value);
  });

  it('is a path below no home where none is known', () => {
    expect(path('', '').parse('~/x', {})).toBe('/x');
  });
});

describe('what a setting says of its values', () => {
  it.each<{ setting: Setting<unknown>; wants: string }>([
    { setting: duration('1m', ''), wants: 'a duration such as 15m or 1h30m' },
    { setting: duration('1m', '', { min: '5s' }), wants: 'a duration such as 15m or 1h30m, at least 5s' },
    { setting: count(3, '', { min: 1, max: 10 }), wants: 'a whole number from 1 to 10' },
    { setting: port(80, ''), wants: 'a whole number from 0 to 65535' },
    { setting: ownPort(''), wants: 'same, or a whole number from 0 to 65535' },
    { setting: bytesOrAuto(''), wants: 'auto, or an amount of bytes such as 512Mi or 4Gi' },
    { setting: levels, wants: 'a list of red, green, blue with commas between them' },
    { setting: oneOf(['json', 'text'], 'json', ''), wants: 'one of json, text' },
    { setting: text('', '', { wants: 'a name' }), wants: 'a name' },
  ])('$wants', ({ setting, wants }) => {
    expect(setting.wants).toBe(wants);
  });

  it.each([
    ['', {}],
    ['a=1', { a: '1' }],
    [' a = 1 ,, b=x%3Dy%2C=z ', { a: '1', b: 'x=y,=z' }],
    ['a=1,a=2', { a: '2' }],
    ['a=', { a: '' }],
    ['a', undefined],
    ['=1', undefined],
    ['a b=1', undefined],
    ['a=%zz', undefined],
    ['a=%0d%0aother:%201', undefined],
  ])('reads pairs of %j', (given, expected) => expect(pairs('', {}).parse(given, {})).toEqual(expected));

  it('keeps secrets and other names of the variable', () => {
    const setting = text('', '', { secret: true, aliases: ['REDIS_URL'] });
    expect([setting.secret, setting.aliases, text('', '').secret]).toEqual([true, ['REDIS_URL'], undefined]);
  });

  it.each<{ setting: Setting<unknown>; value: unknown }>([
    { setting: duration('90s', ''), value: 90_000 },
    { setting: count(7, ''), value: 7 },
    { setting: flag(true, ''), value: true },
    { setting: levels, value: ['red'] },
    { setting: oneOf(['json', 'text'], 'text', ''), value: 'text' },
    { setting: bytesOrAuto(''), value: 'auto' },
    { setting: ownPort(''), value: 'same' },
  ])('the default is written as a value: $setting.default', ({ setting, value }) => {
    expect(setting.parse(setting.default, {})).toEqual(value);
  });
});
