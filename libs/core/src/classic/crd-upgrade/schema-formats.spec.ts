import { describe, expect, it } from 'vitest';
import { hasFormat } from './schema-formats.js';

describe('formats of texts in custom resources', () => {
  it.each<[format: string, good: string[], bad: string[]]>([
    ['date', ['2026-02-28', '2024-02-29'], ['2026-02-29', '2026-13-01', '26-01-01', '2026-01-01T00:00:00Z', '']],
    [
      'date-time',
      ['2026-01-01T10:00:00Z', '2026-01-01t10:00:00.123z', '2026-01-01T10:00:00+02:00'],
      ['2026-01-01', '2026-01-01T24:00:00Z', '2026-01-01T10:60:00Z', '2026-01-01T10:00:00', 'yesterday'],
    ],
    ['ipv4', ['10.0.0.1', '010.0.0.1'], ['10.0.0.256', '10.0.0', '::1']],
    ['ipv6', ['::1', 'fe80::1', '::ffff:10.0.0.1'], ['10.0.0.1', 'x::1']],
    ['cidr', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/x']],
    ['uuid', ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6BA7B8109DAD11D180B400C04FD430C8'], ['6ba7b810']],
    ['uri', ['https://example.com', '/path', 'mailto:a@example.com'], ['example.com', '']],
    ['byte', ['aGVsbG8=', 'aGk='], ['aGVsbG8', '', '%%%%']],
    ['mac', ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab'], ['01:23', 'zz:23:45:67:89:ab']],
    ['hostname', ['any', ''], []],
    ['no-such-format', ['any'], []],
    ['constructor', ['any'], []],
  ])('%s', (format, good, bad) => {
    expect(good.filter((text) => !hasFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => hasFormat(format, text))).toEqual([]);
  });
});
