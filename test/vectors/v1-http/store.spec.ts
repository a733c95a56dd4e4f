import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogLines } from '#core/catalog/metas/catalog-lines';
import { fileInMemory } from '#core/catalog/read/catalog-file';
import { readCatalogTree } from '#platform/files/read-tree';

const HERE = import.meta.dirname;
const stored = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(join(HERE, 'store.expected.json'), 'utf8')));

const storedText = async (name: string) => {
  const files = await readCatalogTree(join(HERE, 'catalogs', name));
  return [...catalogLines(files.map(fileInMemory))].map(({ line }) => line).join('');
};

describe('catalogs are stored as catalogd stores them', () => {
  it.each(Object.entries(stored).filter(([, error]) => error === ''))('%s, byte for byte', async (name) => {
    expect(await storedText(name)).toBe(readFileSync(join(HERE, `${name}.expected.jsonl`), 'utf8'));
  });

  it.each(Object.entries(stored).filter(([, error]) => error !== ''))('%s is refused', async (name, error) => {
    await expect(storedText(name)).rejects.toThrow(error.replace('error walking FBC root: ', ''));
  });
});
