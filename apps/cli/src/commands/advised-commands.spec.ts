import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diagnoseCatalogSource } from '#core/cluster/diagnosis/diagnose-catalog-source';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { buildProgram } from '../all-verbs.js';
import { recorder, runFlotilla } from '../run-flotilla.fixture.js';

const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';
const BUNDLE_LABEL = 'operators.operatorframework.io.bundle.package.v1';

describe('a command that an answer advises', () => {
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    registry = await startRegistry();
    const blob = Buffer.from('schema: olm.package\nname: ant\n');
    const files = [{ path: 'configs/c.yaml', bytes: blob }];
    registry.put('bad/catalog:v1', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
    const manifests = [
      { path: 'manifests/a.yaml', bytes: Buffer.from('kind: A\napiVersion: v1\nmetadata: {name: a}\n') },
    ];
    registry.put('bad/bundle:v1', await buildImage({ files: manifests, labels: { [BUNDLE_LABEL]: 'ant' } }));
    registry.put('bad/other:v1', await buildImage({ files: [{ path: 'x', bytes: blob }], labels: {} }));
  });
  afterAll(() => registry.stop());

  /** What is to be done about a CatalogSource of this image. */
  function advised(image: string): string[] {
    const { todo } = diagnoseCatalogSource({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'bad', namespace: 'team' },
      spec: { sourceType: 'grpc', image },
      status: { connectionState: { lastObservedState: 'TRANSIENT_FAILURE' } },
    });
    const [, command = ''] = /flotilla ([^()\n]+)/.exec(todo.join('\n')) ?? [];
    expect(command).not.toBe('');
    return command.trim().split(' ');
  }

  it('about a catalog image shows what is wrong with it', async () => {
    const { out, err, exit } = await runFlotilla(advised(`${registry.host}/bad/catalog:v1`));
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(err).toContain('invalid package "ant"');
    const data = await runFlotilla([...advised(`${registry.host}/bad/catalog:v1`), '--strict', '-o', 'json']);
    expect(JSON.parse(data.out)).toMatchObject({ passed: false });
  });

  it.each([
    { name: 'none:v1', exit: 3, says: /registry .* has no such image|not found/i },
    { name: 'bad/other:v1', exit: 2, says: /is not a catalog image/ },
  ])('about a catalog image that is none says so: $name', async ({ name, exit, says }) => {
    const answer = await runFlotilla(advised(`${registry.host}/${name}`));
    expect(answer.exit).toBe(exit);
    expect(answer.err).toMatch(says);
    expect(answer.err).not.toContain('stat ');
  });

  it.each([
    { name: 'bad/bundle:v1', says: /no csv in bundle/ },
    { name: 'bad/other:v1', says: /is not a bundle/ },
  ])('about a bundle image shows what is wrong with it: $name', async ({ name, says }) => {
    const { out, err, exit } = await runFlotilla(['bundle', 'validate', `${registry.host}/${name}`]);
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(err).toMatch(says);
  });

  it('exists with its options, in every text of the sources and on every page', () => {
    const program = buildProgram(recorder().io, async () => undefined);
    const written = writtenCommands();
    expect(written.length).toBeGreaterThan(100);
    const wrong = written.flatMap(({ file, text, words }) => {
      const problem = problemOf(program, words);
      return problem === '' ? [] : [`${file}: flotilla ${text}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });
});

type Written = Readonly<{ file: string; text: string; words: readonly string[] }>;

/** Every command line of flotilla in texts of the sources and in the documents. */
function writtenCommands(): Written[] {
  const sources = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const pages = readdirSync(join(PROJECT_ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const files = [...sources, ...pages.map((name) => `docs/${name}`), 'README.md', 'examples/README.md'];
  const seen = new Map<string, Written>();
  for (const file of files) {
    const source = readFileSync(join(PROJECT_ROOT, file), 'utf8');
    // In quotes, at the beginning of a line of a code block, or after a colon or an arrow of a message.
    for (const [, text = ''] of source.matchAll(/(?:["'`(]|^ *(?:\$ )?|: |→ |\| )flotilla ([a-z][^"'`\\\n|>;)…]*)/gm)) {
      const words = text.split(' #')[0]?.trim().split(/\s+/) ?? [];
      if (!seen.has(text)) seen.set(text, { file, text, words });
    }
  }
  return [...seen.values()].filter(({ words: [verb = ''] }) => !PROSE.has(verb));
}

/** What follows "flotilla" where it is a name in a sentence or a package. */
const PROSE: ReadonlySet<string> = new Set(['is', 'command', 'dist/programs/catalog-poller.js']);

/** Why a command line cannot be: no such verb below a verb, or no such option. */
function problemOf(program: Command, words: readonly string[]): string {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-')) {
      const [flag = ''] = word.replace(/[.,:]+$/, '').split('=');
      const known = [command, program].some(({ options }) =>
        options.some(({ long, short }) => long === flag || short === flag),
      );
      if (!known && flag !== '--help' && flag !== '-' && flag !== '--')
        return `${command.name()} has no option ${flag}`;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word.replace(/[.,:]+$/, ''));
    // What follows is opm's, and read as opm reads it.
    if (next?.name() === 'opm') return '';
    if (next !== undefined) command = next;
    else if (command.commands.length > 0) return `${command.name()} has no verb ${word}`;
  }
  return '';
}
