import { expect, it } from 'vitest';
import { ownedPhases } from './build-revision.js';

it('a Secret is kept as the API server stores it: its texts are data, and win over data of the same key', () => {
  const secret = (fields: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'made' }, ...fields });
  const given = [
    secret({ data: { a: 'b25l', b: 'dHdv' }, stringData: { b: 'three' } }),
    secret({ data: { a: 'b25l' } }),
  ];
  const [phase] = ownedPhases([{ name: 'configuration', objects: given }], 'lamp', {
    packageName: 'lamp',
    version: '1',
  });
  const [merged, plain] = phase?.objects ?? [];
  expect(merged).toMatchObject({ data: { a: 'b25l', b: 'dGhyZWU=' } });
  expect(merged).not.toHaveProperty('stringData');
  expect(plain).toMatchObject({ data: { a: 'b25l' } });
});
