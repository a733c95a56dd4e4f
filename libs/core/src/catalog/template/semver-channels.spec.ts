import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { compareVersions, type Version } from '../../kernel/versions/version.js';
import type { Catalog, CatalogBundle, ChannelEntry } from '../model/catalog.js';
import { validateCatalog } from '../validate/validate-catalog.js';
import { parseTemplate, renderTemplate } from './template.js';

const bundle = (version: string): CatalogBundle => ({
  schema: 'olm.bundle',
  name: `ant.v${version}`,
  package: 'ant',
  image: `registry.example/ant:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: 'ant', version } }],
  relatedImages: [],
  objects: [],
});

const small = fc.nat({ max: 3 });
const version = fc
  .tuple(small, small, small, fc.constantFrom('', '', '-rc.1', '-alpha'))
  .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre}`);
const listed = fc.uniqueArray(version, { maxLength: 12 });

const template = fc
  .record({ candidate: listed, fast: listed, stable: listed, major: fc.boolean(), minor: fc.boolean() })
  .filter(({ candidate, fast, stable }) => candidate.length + fast.length + stable.length > 0);

function render({ major, minor, ...archetypes }: typeof template extends fc.Arbitrary<infer T> ? T : never): Catalog {
  const lines = Object.entries(archetypes).map(
    ([name, versions]) => `${name}: {bundles: [${versions.map((one) => `{image: '${one}'}`).join(', ')}]}`,
  );
  const flags = `generateMajorChannels: ${major}\ngenerateMinorChannels: ${minor}\n`;
  const images = Object.values(archetypes).flat();
  const rendered = new Map(images.map((image) => [image, { bundles: [bundle(image)] }]));
  return renderTemplate(parseTemplate(`schema: olm.semver\n${flags}${lines.join('\n')}\n`), rendered);
}

const versionOf = (name: string): Version => {
  const parsed = parseVersion(name.replace(/^ant\.v/, ''));
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed;
};

const olderOf = ({ replaces, skips = [] }: ChannelEntry): string[] => [
  ...(replaces === undefined ? [] : [replaces]),
  ...skips,
];

const isOlder = (older: string, newer: string) => compareVersions(versionOf(older), versionOf(newer)) === -1;

describe('generated channels', () => {
  it('are valid whatever the versions, but for a default channel that only pre-releases of 0.0.0 could give', () => {
    fc.assert(
      fc.property(template, (written) => {
        const catalog = render(written);
        const [owner] = catalog.packages;
        expect(validateCatalog(catalog).map(({ finding }) => finding)).toEqual(
          owner?.defaultChannel === '' ? ['default channel must be set'] : [],
        );
      }),
    );
  });

  it('lead from every bundle of a major version to its newest, and never back', () => {
    fc.assert(
      fc.property(template, (written) => {
        for (const { name, entries } of render({ ...written, major: true }).channels) {
          const all = entries ?? [];
          for (const entry of all) expect(olderOf(entry).filter((older) => !isOlder(older, entry.name))).toEqual([]);
          const head = all.at(-1);
          if (head === undefined || name.includes('.')) continue;
          const covered = [head.name, ...olderOf(head)];
          expect(all.filter((entry) => !covered.includes(entry.name))).toEqual([]);
        }
      }),
    );
  });
});
