import { describe, expect, it } from 'vitest';
import { sampleCatalog } from '../graph/sample-catalog.fixture.js';
import type { ChannelEntry } from '../model/catalog.js';
import { catalogChanges } from './catalog-changes.js';

type More = Parameters<typeof sampleCatalog>[1];
const LINE: ChannelEntry[] = [{ name: 'ant.v1.0.0' }, { name: 'ant.v1.1.0', replaces: 'ant.v1.0.0' }];
const REFERENCE = { schema: 'olm.channel', name: 'stable' };

const UNCHANGED: [Record<string, ChannelEntry[]>, More?] = [{ stable: LINE }];

describe('catalogChanges', () => {
  it.each<{
    because: string;
    before?: [Record<string, ChannelEntry[]>, More?];
    after: [Record<string, ChannelEntry[]>, More?];
    says: Record<string, string>[];
  }>([
    {
      because: 'a package for another',
      after: [{ stable: LINE }, { package: 'bee' }],
      says: [
        { change: 'removed', what: 'package', package: 'ant' },
        { change: 'added', what: 'package', package: 'bee' },
      ],
    },
    {
      because: 'another default channel and a new channel, whose entries are not told one by one',
      after: [{ fast: LINE, stable: LINE }],
      says: [
        { change: 'changed', what: 'defaultChannel', package: 'ant', before: 'stable', after: 'fast' },
        { change: 'added', what: 'channel', package: 'ant', channel: 'fast' },
      ],
    },
    {
      because: 'a new bundle with its edges',
      after: [
        {
          stable: [...LINE, { name: 'ant.v1.2.0', replaces: 'ant.v1.1.0', skips: ['ant.v1.0.0'], skipRange: '<1.2.0' }],
        },
      ],
      says: [
        { change: 'added', what: 'bundle', package: 'ant', name: 'ant.v1.2.0' },
        { change: 'added', what: 'entry', package: 'ant', channel: 'stable', name: 'ant.v1.2.0' },
        ...[
          { what: 'replaces', after: 'ant.v1.1.0' },
          { what: 'skipRange', after: '<1.2.0' },
          { what: 'skips', after: 'ant.v1.0.0' },
        ].map((edge) => ({ change: 'added', package: 'ant', channel: 'stable', name: 'ant.v1.2.0', ...edge })),
      ],
    },
    {
      because: 'an edge that leads elsewhere',
      after: [
        { stable: [LINE[0], { name: 'ant.v1.1.0', replaces: 'ant.v0.9.0', skips: ['ant.v1.0.0'] }] as ChannelEntry[] },
      ],
      says: [
        { change: 'changed', what: 'replaces', before: 'ant.v1.0.0', after: 'ant.v0.9.0' },
        { change: 'added', what: 'skips', after: 'ant.v1.0.0' },
      ].map((row) => ({ ...row, package: 'ant', channel: 'stable', name: 'ant.v1.1.0' })),
    },
    {
      because: 'another image under the same version',
      after: [{ stable: LINE }, { images: { 'ant.v1.0.0': 'registry.example/ant@sha256:2' } }],
      says: [
        {
          ...{ change: 'changed', what: 'image', package: 'ant', name: 'ant.v1.0.0' },
          ...{ before: 'registry.example/ant.v1.0.0', after: 'registry.example/ant@sha256:2' },
        },
      ],
    },
    {
      because: 'other properties',
      after: [{ stable: LINE }, { properties: { 'ant.v1.1.0': [{ type: 'olm.maxOpenShiftVersion', value: '4.20' }] } }],
      says: [{ change: 'changed', what: 'content', package: 'ant', name: 'ant.v1.1.0' }],
    },
    {
      because: 'a deprecation, and its other words',
      before: [{ stable: LINE }, { deprecations: [{ reference: REFERENCE, message: 'soon' }] }],
      after: [
        { stable: LINE },
        {
          deprecations: [
            { reference: REFERENCE, message: 'now' },
            { reference: { schema: 'olm.package', name: '' }, message: 'use bee' },
          ],
        },
      ],
      says: [
        {
          change: 'changed',
          what: 'deprecation',
          package: 'ant',
          name: 'channel stable',
          before: 'soon',
          after: 'now',
        },
        { change: 'added', what: 'deprecation', package: 'ant', name: 'package', after: 'use bee' },
      ],
    },
  ])('reports $because', ({ before, after, says }) => {
    expect(catalogChanges(sampleCatalog(...(before ?? UNCHANGED)), sampleCatalog(...after))).toEqual(says);
  });

  it('takes names such as __proto__ for names', () => {
    const odd = { stable: [{ name: '__proto__' }, { name: 'ant.v1.0.0', replaces: '__proto__' }] };
    expect(catalogChanges(sampleCatalog({ stable: [{ name: 'ant.v1.0.0' }] }), sampleCatalog(odd))).toMatchObject([
      { change: 'added', what: 'bundle', name: '__proto__' },
      { change: 'added', what: 'entry', name: '__proto__' },
      { change: 'added', what: 'replaces', after: '__proto__' },
    ]);
  });
});
