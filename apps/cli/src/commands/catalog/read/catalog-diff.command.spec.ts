import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const flotilla = (...argv: string[]) => runFlotilla(argv);

const catalog = (entries: string, ...versions: string[]) =>
  [
    '{"schema":"olm.package","name":"ant","defaultChannel":"stable"}',
    `{"schema":"olm.channel","package":"ant","name":"stable","entries":[${entries}]}`,
    ...versions.map(
      (version) =>
        `{"schema":"olm.bundle","name":"ant.v${version}","package":"ant","image":"registry.example/ant:v${version}","properties":[{"type":"olm.package","value":{"packageName":"ant","version":"${version}"}}]}`,
    ),
  ].join('\n');

const FIRST = '{"name":"ant.v1.0.0"},{"name":"ant.v1.1.0","replaces":"ant.v1.0.0"}';
const CATALOGS = {
  old: catalog(FIRST, '1.0.0', '1.1.0'),
  good: catalog(`${FIRST},{"name":"ant.v1.2.0","replaces":"ant.v1.1.0"}`, '1.0.0', '1.1.0', '1.2.0'),
  bad: catalog('{"name":"ant.v1.2.0","replaces":"ant.v1.0.0"}', '1.2.0'),
  several: catalog(
    `${FIRST},{"name":"ant.v1.2.0","replaces":"ant.v1.1.0","skips":["ant.v1.0.0"]}`,
    ...['1.0.0', '1.1.0', '1.2.0'],
  ),
  minors: catalog('{"name":"ant.v1.0.0"},{"name":"ant.v1.1.0","replaces":"ant.v1.0.0"}', ...['1.0.0', '1.1.0']),
  patched: catalog(
    '{"name":"ant.v1.0.0"},{"name":"ant.v1.0.1","skips":["ant.v1.0.0"]},{"name":"ant.v1.1.0","replaces":"ant.v1.0.1"}',
    ...['1.0.0', '1.0.1', '1.1.0'],
  ),
  invalid: catalog(`${FIRST},{"name":"ant.v1.2.0"}`, '1.0.0', '1.1.0', '1.2.0'),
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'diff-'));
  for (const [name, text] of Object.entries(CATALOGS)) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'catalog.json'), text);
  }
});
afterAll(() => rmSync(root, { recursive: true, maxRetries: 5 }));

type Name = keyof typeof CATALOGS;
const diff = (old: Name, now: Name, ...args: string[]) =>
  flotilla('catalog', 'diff', join(root, old), join(root, now), ...args);

describe('flotilla catalog diff', () => {
  it('says nothing about a catalog and itself', async () => {
    expect(await diff('old', 'old')).toEqual({ out: '', err: '', exit: 0 });
    expect((await diff('old', 'old', '-o', 'json')).out).toBe(
      '{\n  "verdict": "yes",\n  "changes": [],\n  "broken": [],\n  "notes": []\n}\n',
    );
  });

  it('shows changes, which alone are no failure', async () => {
    const { out, err, exit } = await diff('old', 'good');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toBe(
      [
        '   PACKAGE  WHAT      CHANNEL  NAME        BEFORE  AFTER',
        '+  ant      bundle             ant.v1.2.0',
        '+  ant      entry     stable   ant.v1.2.0',
        '+  ant      replaces  stable   ant.v1.2.0          ant.v1.1.0',
        '',
      ].join('\n'),
    );
  });

  it('fails on a broken upgrade path, and prints what was, what is and what mends it', async () => {
    const { out, exit } = await diff('old', 'bad');
    expect(exit).toBe(1);
    expect(out).toContain(
      [
        'BROKEN UPGRADE PATHS: 1',
        'lost-way: ant.v1.1.0 in ant/stable',
        '  before: it was the newest',
        '  now:    nothing follows it',
        '  mend:   add "skips: [ant.v1.1.0]" to the entry ant.v1.2.0, or skipRange: ">=1.1.0 <1.2.0"',
        '',
      ].join('\n'),
    );
    expect((await diff('old', 'bad', '-o', 'yaml')).out).toContain('  invariant: lost-way\n');
  });

  it('notes a bundle that updates to a new patch release first, and does not fail', async () => {
    const { out, err, exit } = await diff('minors', 'patched');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toMatch(
      /CHANGED UPGRADE PATHS THAT ARE NOT BROKEN: 1\nz-stream-first: ant\.v1\.0\.0 in ant\/stable\n {2}before: ant\.v1\.0\.0 -> ant\.v1\.1\.0\n {2}now: {4}ant\.v1\.0\.0 -> ant\.v1\.0\.1 -> ant\.v1\.1\.0\n$/,
    );
    const data = JSON.parse((await diff('minors', 'patched', '-o', 'json')).out);
    expect(data).toMatchObject({ verdict: 'yes', broken: [], notes: [{ note: 'z-stream-first' }] });
  });

  it('prints an allowed break without failing', async () => {
    expect((await diff('old', 'several')).exit).toBe(1);
    const { out, exit } = await diff('old', 'several', '--allow', 'several-next');
    expect(exit).toBe(0);
    expect(out).toContain('several-next: ant.v1.0.0 in ant/stable\n');
    const places = [join(root, 'old'), join(root, 'several')];
    const allowed = ['--allow', 'lost-way', '--allow', 'several-next,elsewhere'];
    const named = await flotilla('catalog', 'diff', ...allowed, ...places);
    expect(named, 'the option does not take the catalogs for its own').toEqual({ out, err: '', exit: 0 });
    const unknown = await flotilla('catalog', 'diff', '--allow', 'lostway', ...places);
    expect(unknown.exit).toBe(2);
    expect(unknown.err).toContain('z-stream. (did you mean "lost-way"?)');
  });

  it('does not compare a catalog that is not valid', async () => {
    const { out, err, exit } = await diff('old', 'invalid');
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(err).toContain(`multiple channel heads found in graph: ant.v1.1.0, ant.v1.2.0`);
  });
});

it('names the side whose catalog is not valid', async () => {
  const [good, invalid] = [join(root, 'good'), join(root, 'invalid')];
  const one = await flotilla('catalog', 'diff', invalid, good);
  expect(one.err).toMatch(new RegExp(`^OLD ${invalid}/\\S+:\\d+: `));
  const two = await flotilla('catalog', 'diff', good, invalid);
  expect(two.err).toMatch(new RegExp(`^NEW ${invalid}/\\S+:\\d+: `));
  expect([one.exit, two.exit]).toEqual([1, 1]);
});
