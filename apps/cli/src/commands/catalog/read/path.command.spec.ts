import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const flotilla = (...argv: string[]) => runFlotilla(argv);

const bundle = (version: string) =>
  `{"schema":"olm.bundle","name":"ant.v${version}","package":"ant","image":"registry.example/ant:v${version}","properties":[{"type":"olm.package","value":{"packageName":"ant","version":"${version}"}}]}`;
const CATALOG = [
  '{"schema":"olm.package","name":"ant","defaultChannel":"stable"}',
  '{"schema":"olm.channel","package":"ant","name":"stable","entries":[{"name":"ant.v1.0.0"},{"name":"ant.v1.1.0","replaces":"ant.v1.0.0"}]}',
  '{"schema":"olm.channel","package":"ant","name":"fast","entries":[{"name":"ant.v1.2.0","skipRange":">=1.1.0 <1.2.0"},{"name":"ant.v2.0.0","replaces":"ant.v1.2.0"}]}',
  ...['1.0.0', '1.1.0', '1.2.0', '2.0.0'].map(bundle),
  '{"schema":"olm.deprecations","package":"ant","entries":[{"reference":{"schema":"olm.bundle","name":"ant.v2.0.0"},"message":"not yet"}]}',
].join('\n');

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'path-'));
  writeFileSync(join(root, 'catalog.json'), CATALOG);
});
afterAll(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const path = (...args: string[]) => flotilla('path', root, '--package', 'ant', ...args);

describe('flotilla path', () => {
  it('shows the hops to the newest of the default channel', async () => {
    const { out, err, exit } = await path('--from', '1.0.0');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toBe(
      [
        'ant from 1.0.0 (ant.v1.0.0) to 1.1.0 (ant.v1.1.0), Subscription in channel stable',
        '',
        'OLM: 1 hop',
        'HOP  FROM        TO          CHANNEL  BY',
        '1    ant.v1.0.0  ant.v1.1.0  stable   replaces',
        '',
        'Shortest: the same.',
        '',
      ].join('\n'),
    );
  });

  it('marks changes of channel and deprecated bundles', async () => {
    const { out, exit } = await path('--from', '1.0.0', '--to', 'ant.v2.0.0');
    expect(exit).toBe(0);
    expect(out).toContain('OLM: 3 hops, 1 change of channel\n');
    expect(out).toContain('fast     skipRange >=1.1.0 <1.2.0 (after the change of channel)\n');
    expect(out).toContain("at ant.v1.1.0 change the Subscription's channel from stable to fast\n");
    expect(out).toContain('ant.v2.0.0 is deprecated: not yet\n');
  });

  it('prints why there is none, on stderr, with exit code 1', async () => {
    const { out, err, exit } = await path('--from', '1.0.0', '--channel', 'fast', '--to', '1.2.0', '-o', 'json');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(JSON.parse(out)).toMatchObject({ channel: 'fast', olm: [{ switchesChannel: true }, { by: ['skipRange'] }] });
    const none = await path('--from', '1.2.0', '--to', '1.0.0');
    expect(none.exit).toBe(1);
    expect(none.err).toMatch(/^1\.0\.0 \(ant\.v1\.0\.0\) is older than the installed version/);
    const yaml = await path('--from', '1.2.0', '--to', '1.0.0', '-o', 'yaml');
    expect({ err: yaml.err, exit: yaml.exit }).toEqual({ err: '', exit: 1 });
    expect(yaml.out).toMatch(
      /^verdict: no\n[\s\S]*^olm: null\n[\s\S]*^why:\n {2}- "1\.0\.0 .*\n {2}- "what would help: .*Manual"\n$/m,
    );
  });

  it.each([
    { args: ['--from', '9.0.0'], says: '--from 9.0.0: unknown version; known are 2.0.0, 1.2.0, 1.1.0, 1.0.0' },
    { args: ['--from', '1.0.0', '--to', '1.0.1'], says: '--to 1.0.1: unknown version; known are 2.0.0, ' },
    { args: ['--from', '1.0.0', '--channel', 'slow'], says: 'unknown channel "slow"; known are stable, fast' },
    {
      args: ['--from', '1.0.0', '--channel', 'stabel'],
      says: 'unknown channel "stabel" (did you mean "stable"?); known are stable, fast',
    },
    { args: ['--from', '1.0.0', '--package', 'nat'], says: 'unknown package "nat" (did you mean "ant"?); known' },
    { args: ['--from', '1.0.0', '--package', 'bee'], says: 'unknown package "bee"; known are ant' },
  ])('exits 1 and lists what is known: $says', async ({ args, says }) => {
    const { err, exit } = await path(...args);
    expect(exit).toBe(1);
    expect(err).toContain(says);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('says so when the installed version has left the catalog', async () => {
    const { out, err, exit } = await path('--from', '1.1.5', '--channel', 'fast');
    expect(exit).toBe(0);
    expect(err).toBe('note: the catalog has no bundle for --from 1.1.5; taken to be ant.v1.1.5\n');
    expect(out).toContain('1    ant.v1.1.5  ant.v1.2.0  fast     skipRange >=1.1.0 <1.2.0\n');
  });
});
