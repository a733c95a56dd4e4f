import { describe, expect, it } from 'vitest';
import { translateOpm } from './translate-opm.js';

const words = (line: string) => line.split(' ').filter(Boolean);

describe('a command line of opm', () => {
  it.each([
    { opm: 'render a/index -o yaml --migrate', flotilla: 'catalog render a/index --output=yaml --migrate' },
    { opm: 'render -oyaml a b', flotilla: 'catalog render --output=yaml a b' },
    { opm: 'render a --migrate-level=none', flotilla: 'catalog render a --migrate-level=none' },
    { opm: 'validate dir', flotilla: 'catalog validate dir' },
    {
      opm: 'generate dockerfile dir -i scratch -l a=b --extra-labels c=d',
      flotilla: 'catalog dockerfile dir --base-image=scratch --extra-labels=a=b --extra-labels=c=d',
    },
    {
      opm: 'init lamp -c stable -d README.md',
      flotilla: 'catalog init lamp --default-channel=stable --description=README.md',
    },
    { opm: 'migrate a out -o yaml', flotilla: 'catalog migrate a out --output=yaml' },
    { opm: 'serve dir -p 5000 -t /dev/null', flotilla: 'catalog serve --grpc --host 0.0.0.0 dir --port=5000' },
    { opm: 'serve /configs --cache-dir=/tmp/cache --cache-only', flotilla: 'catalog validate /configs' },
    { opm: 'alpha list bundles dir lamp', flotilla: 'catalog bundles dir lamp' },
    {
      opm: 'alpha render-graph dir -p lamp --draw-v0-semantics',
      flotilla: 'catalog graph dir --package=lamp --draw-v0-semantics',
    },
    { opm: 'alpha render-template semver t.yaml -o yaml', flotilla: 'catalog template semver t.yaml --output=yaml' },
    { opm: 'alpha template basic -', flotilla: 'catalog template basic -' },
    { opm: 'alpha convert-template basic c.yaml', flotilla: 'catalog convert-template basic c.yaml' },
    { opm: '--skip-tls-verify=false render a', flotilla: 'catalog render a' },
  ])('opm $opm is flotilla $flotilla', ({ opm, flotilla }) => {
    expect(translateOpm(words(opm))).toMatchObject({ argv: words(flotilla) });
  });

  it('speaks plain HTTP only where it is asked for', () => {
    expect(translateOpm(['render', '--use-http', 'a'])).toEqual({
      argv: ['catalog', 'render', 'a'],
      notes: [],
      plainHttp: true,
    });
    expect(translateOpm(['render', 'a'])).toMatchObject({ plainHttp: false });
  });

  it('says what has no effect', () => {
    expect(translateOpm(words('serve dir --pprof-addr localhost:6060'))).toMatchObject({
      notes: ['--pprof-addr has no effect: there is no profiling endpoint'],
    });
  });

  it.each([
    { opm: '', says: 'no verb is given; verbs of opm: render, validate, generate dockerfile,' },
    { opm: 'index add', says: 'opm index add is unknown here (SQLite catalogs are not supported); verbs' },
    { opm: 'alpha diff a b', says: 'opm alpha diff is unknown here; verbs' },
    { opm: 'render a --colour', says: 'opm render: unknown flag: --colour' },
    {
      opm: 'render a --skip-tls',
      says: '--skip-tls: certificates of registries are always verified; name the trusted authority',
    },
  ])('refuses opm $opm', ({ opm, says }) => {
    expect(translateOpm(words(opm))).toEqual({ error: expect.stringContaining(says) });
  });
});
