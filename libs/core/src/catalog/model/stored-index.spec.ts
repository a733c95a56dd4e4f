import { describe, expect, it } from 'vitest';
import { indexCatalog } from '../../classic/resolution/problem/catalog-slice.js';
import type { PackageRecord } from './package-record.js';
import { recordHash } from './package-record.js';
import { indexStored, storedRecord } from './stored-index.js';

const api = (kind: string) => ({ group: 'ant.example', version: 'v1', kind });
const record = (name: string, ...properties: { type: string; value: unknown }[]): PackageRecord => ({
  name,
  defaultChannel: 'größer',
  entries: [
    {
      name: `${name}.v1.0.0`,
      channel: 'größer',
      version: '1.0.0',
      replaces: '',
      skips: [],
      skipRange: '',
      properties: [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }, ...properties],
      source: { image: `registry.example/${name}:v1` },
    },
  ],
});

const RECORDS = [
  record('ant', { type: 'olm.gvk', value: api('Ant') }, { type: 'olm.gvk.required', value: api('Bee') }),
  record('bee', { type: 'olm.gvk', value: api('Bee') }, { type: 'olm.label', value: { label: 'striped' } }),
  record('__proto__'),
];

function stored(records: readonly PackageRecord[]) {
  const all = records.map(storedRecord);
  const lines = new TextEncoder().encode(all.map(({ line }) => line).join(''));
  // As it comes back from a file.
  const summaries = JSON.parse(JSON.stringify(all.map(({ summary }) => summary)));
  return { index: indexStored(summaries, lines), lines };
}

describe('an index over stored records', () => {
  it('gives the records and the hashes of an index over records in memory', () => {
    const { index } = stored(RECORDS);
    const inMemory = indexCatalog(RECORDS);
    for (const { name } of RECORDS) {
      expect(index.package(name)?.record).toEqual(inMemory.package(name)?.record);
      expect(index.package(name)?.hash).toBe(inMemory.package(name)?.hash);
      expect(index.package(name)?.requirements).toEqual(inMemory.package(name)?.requirements);
    }
    expect(index.package('cat')).toBeUndefined();
    expect([index.empty, stored([]).index.empty]).toEqual([false, true]);
  });

  it.each([
    { requirement: { kind: 'api', api: api('Bee') } as const, offered: ['bee'] },
    { requirement: { kind: 'label', label: 'striped' } as const, offered: ['bee'] },
    { requirement: { kind: 'label', label: 'plain' } as const, offered: [] },
  ])('knows which bundles offer $requirement without reading the records', ({ requirement, offered }) => {
    const { index, lines } = stored(RECORDS);
    lines.fill(0);
    expect([...index.packagesFor(requirement)]).toEqual(offered);
    expect([...index.packagesNamed('ant')]).toEqual(['ant']);
  });

  it('stores a record as the text that its hash is of', () => {
    for (const one of RECORDS) expect(storedRecord(one).summary.hash).toBe(recordHash(one));
  });
});
