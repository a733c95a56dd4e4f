import { beforeEach, describe, expect, it } from 'vitest';
import { RegistryError, type RegistryFailure } from '../client/registry-client.port.js';
import { FailedPulls } from './failed-pulls.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
let now: number;
let pulls: number;
let failed: FailedPulls;
beforeEach(() => {
  now = Date.parse('2026-11-22T12:00:00Z');
  pulls = 0;
  failed = new FailedPulls(() => now);
});

const wrong = (failure: RegistryFailure) => new RegistryError(failure, 'r.test/a', `it is ${failure}`);
const fail = (error: unknown) => async () => {
  pulls += 1;
  throw error;
};
const messageOf = (pull: Promise<unknown>) => pull.then(String, (error: Error) => error.message);

describe('FailedPulls', () => {
  it.each([
    { failure: 'TooLarge', remembered: true },
    { failure: 'UnsafePath', remembered: true },
    { failure: 'Unsupported', remembered: true },
    { failure: 'Malformed', remembered: true },
    { failure: 'DigestMismatch', remembered: false },
    { failure: 'NotARegistry', remembered: false },
    { failure: 'Unreachable', remembered: false },
    { failure: 'NotFound', remembered: false },
    { failure: 'Incomplete', remembered: false },
    { failure: 'Unauthorized', remembered: false },
    { failure: 'NotAllowed', remembered: false },
  ] as const)('$failure is remembered: $remembered', async ({ failure, remembered }) => {
    await messageOf(failed.guard('a', fail(wrong(failure))));
    const again = await messageOf(failed.guard('a', fail(wrong(failure))));
    expect(pulls).toBe(remembered ? 1 : 2);
    expect(again.includes('; this digest is not pulled again before ')).toBe(remembered);
  });

  it('neither remembers nor changes what is no error of a registry', async () => {
    const error = new TypeError('a fault of ours');
    await expect(failed.guard('a', fail(error))).rejects.toBe(error);
    await expect(failed.guard('a', fail('text'))).rejects.toBe('text');
    expect(error.message).toBe('a fault of ours');
    expect(await failed.guard('a', async () => 'pulled')).toBe('pulled');
  });

  it('asks for another image and says until when the same one is not pulled', async () => {
    expect(await messageOf(failed.guard('a', fail(wrong('Malformed'))))).toBe(
      'it is Malformed; this digest is not pulled again before 2026-11-22T12:10:00.000Z: push another image',
    );
  });

  it('waits longer after each failure in a row, a day at most', async () => {
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      const message = await messageOf(failed.guard('a', fail(wrong('Malformed'))));
      const until = Date.parse(/before (\S+Z)/.exec(message)?.[1] ?? '');
      waits.push((until - now) / MINUTE_MS);
      now = until;
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]);
    expect(pulls).toBe(10);
  });

  it('throws the same error until the time has come, and says the time once', async () => {
    const error = wrong('TooLarge');
    await messageOf(failed.guard('a', fail(error)));
    now += 10 * MINUTE_MS - 1;
    await expect(failed.guard('a', fail(wrong('NotFound')))).rejects.toBe(error);
    expect(error.message.match(/not pulled again/g)).toHaveLength(1);
    expect(pulls).toBe(1);
  });

  it('begins anew after a pull that went well', async () => {
    await messageOf(failed.guard('a', fail(wrong('Malformed'))));
    now += DAY_MS;
    expect(await failed.guard('a', async () => 'pulled')).toBe('pulled');
    expect(await messageOf(failed.guard('a', fail(wrong('Malformed'))))).toContain('before 2026-11-23T12:10:00.000Z');
  });

  it('keeps keys apart', async () => {
    await messageOf(failed.guard('a', fail(wrong('Malformed'))));
    expect(await failed.guard('b', async () => 'pulled')).toBe('pulled');
  });

  it('remembers the ten thousand that failed last', async () => {
    const many = new FailedPulls(
      () => now,
      () => true,
    );
    const light = (): Error => Object.assign(Object.create(Error.prototype), { message: 'no archive' });
    for (let at = 0; at <= 10_000; at++) await many.guard(`${at}`, fail(light())).catch(() => undefined);
    expect(await many.guard('0', async () => 'pulled')).toBe('pulled');
    expect(await messageOf(many.guard('1', async () => 'pulled'))).toContain('not pulled again');
    expect(await messageOf(many.guard('10000', async () => 'pulled'))).toContain('not pulled again');
  });

  it('counts as failures of content what its user says', async () => {
    const own = new FailedPulls(
      () => now,
      (error) => error.message === 'mine',
    );
    await messageOf(own.guard('a', fail(new Error('mine'))));
    await messageOf(own.guard('a', fail(new Error('mine'))));
    expect(pulls).toBe(1);
    await messageOf(own.guard('b', fail(wrong('Malformed'))));
    await messageOf(own.guard('b', fail(wrong('Malformed'))));
    expect(pulls).toBe(3);
  });
});
