import { expect, it } from 'vitest';
import { source, state } from '../../cluster/diagnosis/diagnosis.fixture.js';
import { catalogSourceRow } from './catalog-row.js';
import { CatalogRow } from './rows.js';

const facts = { source: source(state('READY')), digest: '', packages: 1, nextTry: '', record: () => undefined };
const rowOf = (isGlobal: boolean) =>
  CatalogRow.parse(
    JSON.parse(JSON.stringify(catalogSourceRow('east', { ...facts, isGlobal }, '2026-01-01T00:00:00Z'))),
  );

it('the row of a catalog says that all namespaces see it, and nothing where they do not', () => {
  expect(rowOf(true)).toMatchObject({ kind: 'catalog', global: true });
  expect(rowOf(false)).not.toHaveProperty('global');
});

it('the row of a catalog shows no secret of its status', () => {
  const message = 'cannot pull https://robot:hunter2@registry.example.com/samples: token=hunter2 refused';
  const own = source({ ...state('TRANSIENT_FAILURE'), message });
  const row = catalogSourceRow('east', { ...facts, source: own, isGlobal: true }, '2026-01-01T00:00:00Z');
  expect(row.message).toContain('registry.example.com');
  expect(JSON.stringify(row)).not.toContain('hunter2');
});
