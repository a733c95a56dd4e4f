import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runFlotilla } from '../run-flotilla.fixture.js';

const MESSAGE = '\x1b]0;PWNED\x07\x1b[2Jgone\r\nFAKE LINE\x9b31m\u202e';
const CONTROL = /[^\P{Cc}\n\t]|[\u202a-\u202e]/u;
const constraint = { failureMessage: MESSAGE, package: { packageName: 'nowhere', versionRange: '>=1.0.0' } };
const blobs = [
  { schema: 'olm.package', name: 'ant', defaultChannel: 'stable', description: MESSAGE },
  { schema: 'olm.channel', name: 'stable', package: 'ant', entries: [{ name: 'ant.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    name: 'ant.v1.0.0',
    package: 'ant',
    image: 'r.test/ant:1',
    properties: [
      { type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } },
      { type: 'olm.constraint', value: constraint },
    ],
  },
];
const subscription = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'ant', namespace: 'team' },
  spec: { name: 'ant', channel: 'stable', source: 'shelf', sourceNamespace: 'olm' },
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-terminal-'));
  await writeFile(join(folder, 'catalog.json'), blobs.map((one) => JSON.stringify(one)).join('\n'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const plan = (...more: string[]) =>
  runFlotilla(['plan', '--catalog', `shelf=${folder}`, '-f', '-', ...more], JSON.stringify(subscription));

describe('control characters in a catalog', () => {
  it('reach no terminal by flotilla plan: they are shown as escapes', async () => {
    const { out, err, exit } = await plan();
    expect(exit).toBe(1);
    expect(out + err).toContain(String.raw`\x1b]0;PWNED\x07\x1b[2Jgone\x0d`);
    expect(out + err).not.toMatch(CONTROL);
  });

  it.each([
    { format: 'json', read: (text: string): unknown => JSON.parse(text) },
    { format: 'yaml', read: (text: string): unknown => parse(text) },
  ])('leave -o $format the values that it had', async ({ format, read }) => {
    const { out } = await plan('-o', format);
    expect(out).not.toMatch(CONTROL);
    expect(JSON.stringify(read(out))).toContain(JSON.stringify(MESSAGE).slice(1, -1));
  });

  it.each([
    { format: 'json', read: (text: string): unknown => JSON.parse(text.slice(0, text.indexOf('\n}') + 2)) },
    { format: 'yaml', read: (text: string): unknown => parse(text.split('\n---')[0] ?? '') },
  ])('leave flotilla catalog render -o $format the values that it had', async ({ format, read }) => {
    const { out } = await runFlotilla(['catalog', 'render', folder, '-o', format]);
    expect(out).not.toMatch(CONTROL);
    expect(read(out)).toMatchObject({ description: MESSAGE });
  });

  it('reach no terminal by an error about what the user typed', async () => {
    const { err } = await runFlotilla(['catalog', 'render', `${folder}/\x1b[2Jnothing`]);
    expect(err).not.toMatch(CONTROL);
  });
});
