import { describe, expect, it } from 'vitest';
import { healthWithoutDetails } from './health-without-details.js';
import { authenticatedAreas } from './http-area.js';
import { allowsPath, canonicalPath } from './path-rule.js';
import { bearerToken, readTokenFile } from './token-file.js';

const TOKEN = 'abcdefghijklmnopqrst';

describe('areas that ask for authentication', () => {
  it.each([
    { setting: ['auto'], bindAddress: '127.0.0.1', areas: [] },
    { setting: ['auto'], bindAddress: '::1', areas: [] },
    { setting: ['auto'], bindAddress: '0.0.0.0', areas: ['content', 'packages', 'metrics', 'health'] },
    { setting: ['auto'], bindAddress: '::', areas: ['content', 'packages', 'metrics', 'health'] },
    { setting: ['auto', 'catalogs'], bindAddress: '127.0.0.1', areas: ['catalogs'] },
    { setting: ['content'], bindAddress: '0.0.0.0', areas: ['content'] },
    { setting: ['none'], bindAddress: '0.0.0.0', areas: [] },
  ] as const)('$setting at $bindAddress: $areas', ({ setting, bindAddress, areas }) => {
    expect([...authenticatedAreas(setting, bindAddress)].toSorted()).toEqual(areas.toSorted());
  });
});

describe('allowsPath', () => {
  it.each([
    { rules: ['*'], path: '/metrics', allowed: true },
    { rules: ['/metrics'], path: '/metrics', allowed: true },
    { rules: ['/metrics'], path: '/metricsx', allowed: false },
    { rules: ['/clusters/east/*'], path: '/clusters/east/catalogs/a/api/v1/all', allowed: true },
    { rules: ['/clusters/east/*'], path: '/clusters/eastern/catalogs/a/api/v1/all', allowed: false },
    { rules: ['/clusters/east/*'], path: '/clusters/east', allowed: false },
    { rules: [], path: '/metrics', allowed: false },
  ])('$rules, $path: $allowed', ({ rules, path, allowed }) => expect(allowsPath(rules, path)).toBe(allowed));

  it('is asked with a spelling in which no segment holds a slash', () => {
    expect(canonicalPath(['clusters', 'east/../west', 'content', 'sha256:ab'])).toBe(
      '/clusters/east%2F..%2Fwest/content/sha256:ab',
    );
  });
});

describe('readTokenFile', () => {
  it('reads names, tokens and paths, and passes over comments', () => {
    expect(
      readTokenFile(`# who\n\nprometheus ${TOKEN} /metrics\r\n  me\t${TOKEN}= /content/*,/clusters/east/*\n`),
    ).toEqual({
      entries: [
        { name: 'prometheus', token: TOKEN, paths: ['/metrics'] },
        { name: 'me', token: `${TOKEN}=`, paths: ['/content/*', '/clusters/east/*'] },
      ],
      problems: [],
    });
  });

  it.each([
    { line: `${TOKEN}`, says: /expected NAME TOKEN PATH/ },
    { line: `me ${TOKEN}`, says: /expected NAME TOKEN PATH/ },
    { line: 'me short /metrics', says: /fewer than 20 characters/ },
    { line: `me ${TOKEN}\u00e4 /metrics`, says: /a bearer token may not have/ },
    { line: `m{e} ${TOKEN} /metrics`, says: /the name may have letters/ },
    { line: `me ${TOKEN} metrics`, says: /must be \* or begin with/ },
    { line: `me ${TOKEN} /a*b`, says: /must be \* or begin with/ },
    { line: `me ${TOKEN} /metrics,`, says: /must be \* or begin with/ },
  ])('names the line that it cannot use, without its token, and uses the others: $line', ({ line, says }) => {
    const { entries, problems } = readTokenFile(`${line}\nok ${TOKEN} *\n`);
    expect(entries).toEqual([{ name: 'ok', token: TOKEN, paths: ['*'] }]);
    expect(problems).toEqual([expect.stringMatching(says)]);
    expect(problems[0]).toMatch(/^line 1: /);
    expect(problems[0]).not.toContain(TOKEN);
  });

  it('reads no more lines than it may', () => {
    const { entries, problems } = readTokenFile(`me ${TOKEN} *\n`.repeat(20_000));
    expect([entries.length, problems]).toEqual([10_000, ['lines from 10001 on: at most 10000 lines are read']]);
  });
});

describe('bearerToken', () => {
  it.each([
    { header: `Bearer ${TOKEN}`, token: TOKEN },
    { header: `bearer ${TOKEN}`, token: TOKEN },
    { header: undefined, token: undefined },
    { header: '', token: undefined },
    { header: TOKEN, token: undefined },
    { header: 'Basic bWU6cGFzcw==', token: undefined },
    { header: 'Bearer ', token: undefined },
    { header: `Bearer ${TOKEN} ${TOKEN}`, token: undefined },
    { header: `Bearer ${TOKEN},${TOKEN}`, token: undefined },
    { header: `Bearer ${'a'.repeat(100_000)}`, token: undefined },
  ])('$header', ({ header, token }) => expect(bearerToken(header)).toBe(token));
});

describe('healthWithoutDetails', () => {
  it('leaves names of clusters and reasons out', () => {
    const watches = { status: 'degraded', detail: 'no sign of life from west', clusters: ['east', 'west'] };
    expect(
      healthWithoutDetails({
        status: 'ok',
        info: { watches },
        error: {},
        details: { watches, redis: { status: 'up' } },
      }),
    ).toEqual({
      status: 'ok',
      info: { watches: { status: 'degraded' } },
      error: {},
      details: { watches: { status: 'degraded' }, redis: { status: 'up' } },
    });
  });
});
