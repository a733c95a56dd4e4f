import { expect, it, vi } from 'vitest';
import { silentLog } from '#platform/telemetry/log.port';
import { unknownProxyWarning } from './unknown-proxy.js';

const through = (remoteAddress: string, ip: string, forwarded?: string) => ({
  ...{ ip, socket: { remoteAddress } },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

it('an unknown proxy is named once, in the log', () => {
  const warn = vi.fn();
  const seen = unknownProxyWarning({ ...silentLog, warn });
  seen(through('10.0.0.1', '10.0.0.1'));
  seen(through('10.0.0.1', '203.0.113.7', '203.0.113.7'));
  seen(through('127.0.0.1', '127.0.0.1', '203.0.113.7'));
  expect(warn).not.toHaveBeenCalled();
  seen(through('10.0.0.1', '10.0.0.1', '203.0.113.7'));
  seen(through('10.0.0.2', '10.0.0.2', '203.0.113.7'));
  expect(warn.mock.calls).toEqual([
    [{ proxy: '10.0.0.1' }, expect.stringContaining('FLOTILLA_CONSOLE_TRUSTED_PROXIES')],
  ]);
});
