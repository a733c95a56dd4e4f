import { describe, expect, it } from 'vitest';
import { answerV1 } from './v1-answer.js';
import { V1Case } from './v1-case.js';

const lamp = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  { schema: 'olm.channel', name: 'stable', package: 'lamp', entries: [{ name: 'lamp.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    name: 'lamp.v1.0.0',
    package: 'lamp',
    image: 'registry.example/lamp:1',
    properties: [{ type: 'olm.package', value: { packageName: 'lamp', version: '1.0.0' } }],
  },
];
const broken = (owner: string) => ({ schema: 'olm.bundle', name: `${owner}.v9`, package: owner, image: 9 });

const answer = (metas: readonly unknown[]) =>
  answerV1(
    V1Case.parse({ catalogs: [{ name: 'main', metas }], spec: { source: { catalog: { packageName: 'lamp' } } } }),
  );

describe('a catalog with a broken blob', () => {
  it('serves other packages', () => {
    expect(answer([...lamp, broken('shade')])).toMatchObject({ class: 'Resolved', bundle: 'lamp.v1.0.0' });
  });

  it('fails the package that it is in', () => {
    expect(answer([...lamp, broken('lamp')])).toMatchObject({
      class: 'CatalogNotServed',
      error: expect.stringMatching(
        /^error walking catalogs: error getting package "lamp" from catalog "main": error loading package "lamp": .*image/,
      ),
    });
  });
});
