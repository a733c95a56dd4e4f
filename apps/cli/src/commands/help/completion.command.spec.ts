import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runFlotilla } from '../../run-flotilla.fixture.js';

/** The candidates after these words, without descriptions, and the directive. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const { out, exit } = await runFlotilla(['__complete', '--', ...words]);
  expect(exit).toBe(0);
  return out
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('flotilla __complete', () => {
  it.each([
    { words: ['sta'], offers: ['status', ':4'], because: 'a verb that is begun' },
    { words: ['clusters', 'a'], offers: ['add', 'accept', ':4'], because: 'verbs below a verb' },
    { words: ['get', 'cat'], offers: ['catalogs', 'catalogsources', ':4'], because: 'kinds' },
    { words: ['get', 'csvs', '--names'], offers: ['--namespace', ':4'], because: 'options after operands' },
    { words: ['get', 'csvs', '-o', 'js'], offers: ['json', ':4'], because: 'formats' },
    { words: ['get', 'csvs', '--output=js'], offers: ['--output=json', ':4'], because: 'a value in the same word' },
    { words: ['get', 'csvs', '--output', '=', 'js'], offers: ['json', ':4'], because: 'bash splits that word' },
    { words: ['crd', 'check', '-o', 'js'], offers: ['json', ':4'], because: 'formats, not files' },
    { words: ['catalog', 'render', './x', '-o', 'ya'], offers: ['yaml', ':4'], because: 'formats of a description' },
    { words: ['fleet', 'si'], offers: ['simulate', ':4'], because: 'the verb below fleet' },
    { words: ['fleet', 'simulate', '--faults', ''], offers: [':0'], because: 'a file' },
    { words: ['catalog', 'validate', ''], offers: [':0'], because: 'catalogs are files and directories' },
    { words: ['catalog', 'dockerfile', ''], offers: [':16'], because: 'directories alone' },
    { words: ['plan', '-f', ''], offers: [':0'], because: 'files as values' },
    { words: ['get', 'csvs', '-n', ''], offers: [':4'], because: 'nothing is known, so no files' },
    { words: ['completion', 'z'], offers: ['zsh', ':4'], because: 'choices of an operand' },
    { words: ['diff', '--no'], offers: [':4'], because: 'a word that is no verb' },
  ])('$words: $because', async ({ words, offers }) => {
    expect(await offered(...words)).toEqual(offers);
  });

  it('describes verbs and does not offer itself', async () => {
    const { out } = await runFlotilla(['__complete', '--', '']);
    expect(out).toMatch(/^status\tshow the hub, /m);
    expect(out).not.toContain('__complete');
    expect((await runFlotilla(['--help'])).out).not.toContain('__complete');
  });
});

describe('flotilla __complete of clusters', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('offers the contexts of the kubeconfigs, and nothing where they cannot be read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-complete-'));
    try {
      const file = join(folder, 'config');
      const contexts = ['arn:aws:east', 'west'].map((name) => `- {name: "${name}", context: {cluster: c, user: u}}\n`);
      writeFileSync(file, `apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts:\n${contexts.join('')}`);
      vi.stubEnv('FLOTILLA_KUBECONFIG', file);
      expect(await offered('get', 'csvs', '-C', '')).toEqual(['arn:aws:east', 'west', ':4']);
      expect(await offered('status', '--cluster=w')).toEqual(['--cluster=west', ':4']);
      vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'none'));
      expect(await offered('get', 'csvs', '-C', '')).toEqual([':4']);
      expect(await offered('get', 'csvs', '--kubeconfig', file, '-C', 'w')).toEqual(['west', ':4']);
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5 });
    }
  });
});

describe('flotilla completion', () => {
  it('knows no other shell', async () => {
    expect(await runFlotilla(['completion', 'tcsh'])).toMatchObject({ exit: 2, out: '' });
  });
});
