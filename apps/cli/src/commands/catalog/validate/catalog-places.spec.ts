import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'places-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const bundle = (name: string, version: string, more = '') =>
  `schema: olm.bundle\nname: ${name}\npackage: ant\nimage: registry.example/ant:v1\nproperties: [{type: olm.package, value: {packageName: ant, version: ${version}}}]\n${more}`;
const channel = (...entries: string[]) =>
  `schema: olm.channel\nname: stable\npackage: ant\nentries: [${entries.map((name) => `{name: ${name}}`).join(', ')}]\n`;
const PACKAGE = 'schema: olm.package\nname: ant\ndefaultChannel: stable\n';

/**
 * The package in one file, the channel in a second, the bundles in a third one; the second
 * bundle begins at line 7.
 */
const catalog = (parts: { pkg?: string; channel?: string; bundles?: readonly string[]; deprecations?: string }) => {
  const { pkg = PACKAGE, channel: own = channel('ant.v1.0.0') } = parts;
  const files = {
    'package.yaml': `schema: custom\n---\n${pkg}`,
    'channel.yaml': `schema: custom\n---\n${own}`,
    'bundles.yaml': (parts.bundles ?? [bundle('ant.v1.0.0', '1.0.0')]).join('---\n'),
    ...(parts.deprecations !== undefined && { 'deprecations.yaml': parts.deprecations }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
};

const HOLE = { channel: channel('ant.v1.0.0', 'ant.v0.9.0') };

describe('a catalog whose blobs do not fit together', () => {
  it.each([
    { because: 'an entry without bundle', at: 'channel.yaml:3', says: 'no olm.bundle blobs found', parts: HOLE },
    {
      because: 'a channel of an unknown package',
      at: 'channel.yaml:3',
      says: 'unknown package "bee" for channel "stable"',
      parts: { channel: channel('ant.v1.0.0').replace('package: ant', 'package: bee') },
    },
    {
      because: 'a bundle twice',
      at: 'bundles.yaml:7',
      says: 'package "ant" has duplicate bundle "ant.v1.0.0"',
      parts: { bundles: [bundle('ant.v1.0.0', '1.0.0'), bundle('ant.v1.0.0', '1.0.0')] },
    },
    {
      because: 'a bundle in no channel',
      at: 'bundles.yaml:7',
      says: 'bundle "ant.v2.0.0" not found in any channel entries',
      parts: { bundles: [bundle('ant.v1.0.0', '1.0.0'), bundle('ant.v2.0.0', '2.0.0')] },
    },
    {
      because: 'a version that is none',
      at: 'bundles.yaml:1',
      says: 'error parsing bundle "ant.v1.0.0" version "1.0"',
      parts: { bundles: [bundle('ant.v1.0.0', '"1.0"')] },
    },
    {
      because: 'a package without default channel',
      at: 'package.yaml:3',
      says: 'invalid package "ant": default channel must be set',
      parts: { pkg: 'schema: olm.package\nname: ant\n' },
    },
    {
      because: 'a bundle without image',
      at: 'bundles.yaml:1',
      says: 'invalid bundle "ant.v1.0.0": bundle image must be set',
      parts: { bundles: [bundle('ant.v1.0.0', '1.0.0').replace('registry.example/ant:v1', '""')] },
    },
    {
      because: 'a deprecation without message',
      at: 'deprecations.yaml:1',
      says: 'invalid deprecation: message must be set',
      parts: {
        deprecations:
          'schema: olm.deprecations\npackage: ant\nentries: [{reference: {schema: olm.package}, message: ""}]\n',
      },
    },
    {
      because: 'a deprecation of an unknown bundle',
      at: 'deprecations.yaml:1',
      says: 'cannot deprecate bundle "ant.v9"',
      parts: {
        deprecations:
          'schema: olm.deprecations\npackage: ant\nentries: [{reference: {schema: olm.bundle, name: ant.v9}, message: x}]\n',
      },
    },
  ])('names file and line of $because', async ({ at, says, parts }) => {
    const directory = catalog(parts);
    const text = await runFlotilla(['catalog', 'validate', directory]);
    expect(text.err.split('\n')[0]).toContain(`${directory}/${at}: `);
    expect(text.err).toContain(says);
    const data = JSON.parse((await runFlotilla(['catalog', 'validate', directory, '-o', 'json'])).out);
    expect(data.problems[0]).toMatchObject({ place: at, message: expect.stringContaining(says) });
    expect(data.problems[0].message, "opm's own words stay as they are").not.toContain('.yaml');
  });

  it.each([
    { verb: ['catalog', 'packages'], more: [] },
    { verb: ['catalog', 'build'], more: ['oci:out:v1'] },
    { verb: ['path'], more: ['--package', 'ant', '--from', '1.0.0'] },
  ])('names them in "flotilla $verb", too', async ({ verb, more }) => {
    const directory = catalog(HOLE);
    const { err, exit } = await runFlotilla([...verb, directory, ...more]);
    expect(err).toContain(`${directory}/channel.yaml:3: no olm.bundle blobs found in package "ant"`);
    expect(exit).toBe(1);
  });

  it('names them in "flotilla catalog serve --grpc", too', async () => {
    const directory = catalog(HOLE);
    const { err, exit } = await runFlotilla(['catalog', 'serve', directory, '--grpc', '--port', '0']);
    expect(err).toMatch(new RegExp(`^error: ${directory}/channel.yaml:3: failed to load or rebuild cache: `));
    expect(exit).toBe(1);
  });

  it('names them in the note of "flotilla plan", too', async () => {
    const directory = catalog({ bundles: [bundle('ant.v1.0.0', '1.0.0'), bundle('ant.v2.0.0', '2.0.0')] });
    const manifest = join(root, '..', `${basename(root)}-subscription.yaml`);
    writeFileSync(
      manifest,
      'apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: ant, namespace: team}\nspec: {name: ant, source: own, sourceNamespace: team}\n',
    );
    const { err } = await runFlotilla(['plan', '--catalog', `team/own=${directory}`, '-f', manifest, '-n', 'team']);
    rmSync(manifest);
    expect(err).toContain(`no registry would serve it: ${directory}/bundles.yaml:7: `);
  });

  it('names them once, behind the side, in "flotilla catalog diff"', async () => {
    const directory = catalog(HOLE);
    const { err, exit } = await runFlotilla(['catalog', 'diff', directory, directory]);
    expect(err.split('\n')[0]).toMatch(new RegExp(`^OLD ${directory}/channel.yaml:3: no olm.bundle blobs`));
    expect(exit).toBe(1);
  });
});
