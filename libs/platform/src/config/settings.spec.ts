import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.js';
import { parseBytes } from './quantity.js';
import { allSettings, environmentName, InvalidSettings, readSettings, unknownSettings } from './settings.js';
import { settingsPage } from './settings-page.js';

describe('parseDuration', () => {
  it.each([
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['1m30.5s', 90_500],
    ['0', 0],
    ['0s', 0],
    ['1000us', 1],
    ['', undefined],
    ['15', undefined],
    ['-5m', undefined],
    ['5 m', undefined],
    ['m', undefined],
    ['1e3s', undefined],
    ['99999999999999999h', undefined],
  ])('%j → %j', (text, ms) => expect(parseDuration(text)).toBe(ms));
});

describe('parseBytes', () => {
  it.each([
    ['512Mi', 512 * 2 ** 20],
    ['4Gi', 4 * 2 ** 30],
    ['1.5Ki', 1_536],
    ['10k', 10_000],
    ['77', 77],
    ['', undefined],
    ['-1', undefined],
    ['4GB', undefined],
    ['Gi', undefined],
    ['99999999Ti', undefined],
  ])('%j → %j', (text, bytes) => expect(parseBytes(text)).toBe(bytes));
});

describe('readSettings', () => {
  it('has the defaults of OLM where OLM has the setting', () => {
    expect(readSettings({})).toMatchObject({
      resyncInterval: 36_000_000,
      installPlanRetryTimeout: 60_000,
      bundleUnpackTimeout: 600_000,
      systemNamespace: 'flotilla-system',
      protectedCopiedCsvNamespaces: [],
      catalogStrictHealth: false,
    });
  });

  it('every default can be read', () => {
    for (const [key, setting] of allSettings()) expect(setting.parse(setting.default, {}), key).toBeDefined();
  });

  it.each([
    { env: { FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT: '20s' }, gives: { installPlanRetryTimeout: 20_000 } },
    { env: { FLOTILLA_CONTEXTS: 'east, west,,' }, gives: { contexts: ['east', 'west'] } },
    { env: { FLOTILLA_CATALOG_STRICT_HEALTH: 'TRUE' }, gives: { catalogStrictHealth: true } },
    { env: { FLOTILLA_LOG_LEVEL: 'debug' }, gives: { logLevel: 'debug' } },
    { env: { FLOTILLA_RESYNC_INTERVAL: ' 5m ' }, gives: { resyncInterval: 300_000 } },
    { env: { FLOTILLA_RESYNC_INTERVAL: '' }, gives: { resyncInterval: 36_000_000 } },
    { env: { REDIS_URL: 'redis://a:1' }, gives: { redisUrl: 'redis://a:1' } },
    { env: { REDIS_URL: 'redis://a:1', FLOTILLA_REDIS_URL: 'redis://b:1' }, gives: { redisUrl: 'redis://b:1' } },
    { env: { HOME: '/home/u', FLOTILLA_CONTENT_DIR: '~/c' }, gives: { contentDir: '/home/u/c' } },
    { env: { KUBECONFIG: '/a:/b' }, gives: { kubeconfig: '/a:/b' } },
  ])('$env', ({ env, gives }) => expect(readSettings(env)).toMatchObject(gives));

  it('names every bad value at once, with what would do', () => {
    const env = {
      FLOTILLA_RESYNC_INTERVAL: '15',
      FLOTILLA_APPLIER_PORT: '70000',
      FLOTILLA_CATALOG_STRICT_HEALTH: 'maybe',
      FLOTILLA_LOG_LEVEL: 'loud',
      FLOTILLA_CONTENT_MAX_BYTES: '4GB',
      FLOTILLA_SYSTEM_NAMESPACE: 'Not_A_Name',
      FLOTILLA_CONTENT_URL: 'catalog-poller:8080',
    };
    const failure = read(env);
    expect(failure).toBeInstanceOf(InvalidSettings);
    expect(failure instanceof InvalidSettings ? failure.problems.toSorted() : []).toEqual([
      'FLOTILLA_APPLIER_PORT: "70000" is not a whole number from 0 to 65535',
      'FLOTILLA_CATALOG_STRICT_HEALTH: "maybe" is not true or false',
      'FLOTILLA_CONTENT_MAX_BYTES: "4GB" is not an amount of bytes such as 512Mi or 4Gi',
      'FLOTILLA_CONTENT_URL: "catalog-poller:8080" is not a URL such as http://catalog-poller:8080',
      'FLOTILLA_LOG_LEVEL: "loud" is not one of debug, info, warn, error, silent',
      'FLOTILLA_RESYNC_INTERVAL: "15" is not a duration such as 15m or 1h30m, at least 1s',
      'FLOTILLA_SYSTEM_NAMESPACE: "Not_A_Name" is not the name of a namespace',
    ]);
  });

  it('does not repeat a bad Redis URL, which may hold a password', () => {
    const failure = read({ REDIS_URL: 'http://user:hunter2@redis' });
    expect(String(failure)).toMatch(/REDIS_URL: its value is not a URL such as redis:/);
    expect(String(failure)).not.toContain('hunter2');
  });

  it('finds variables that look like settings and are none', () => {
    const env = {
      FLOTILLA_RESYNC_INTERVALL: '1m',
      FLOTILLA_LOG_LEVEL: 'info',
      FLOTILLA_TEST_KUBECONFIG: '/x',
      HOME: '/',
    };
    expect(unknownSettings(env)).toEqual(['FLOTILLA_RESYNC_INTERVALL']);
  });
});

describe('docs/settings.md', () => {
  it('is the page of the settings as they are (node dist/scripts/write-settings-page.js writes it anew)', () => {
    expect(readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8')).toBe(settingsPage());
  });

  it('names every setting once', () => {
    const names = [...settingsPage().matchAll(/^\| `(FLOTILLA_\w+)`/gm)].map(([, name]) => name);
    expect(names).toEqual(allSettings().map(([key]) => environmentName(key)));
  });
});

function read(env: Record<string, string>): unknown {
  try {
    return readSettings(env);
  } catch (error) {
    return error;
  }
}
