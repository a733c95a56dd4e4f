import { describe, expect, it } from 'vitest';
import type { Catalog, CatalogBundle } from '../model/catalog.js';
import { TemplateError } from './template.error.js';
import { imagesOf, parseTemplate, renderTemplate, type TemplateType } from './template.js';

type Value = { version: string; release?: string; package?: string; substitutesFor?: string };

const bundle = (name: string, { version, release, package: owner = 'ant', substitutesFor }: Value): CatalogBundle => ({
  schema: 'olm.bundle',
  name,
  package: owner,
  image: `registry.example/ant:${name.replace('+', '_')}`,
  properties: [
    { type: 'olm.package', value: { packageName: owner, version, ...(release !== undefined && { release }) } },
    ...(substitutesFor === undefined
      ? []
      : [{ type: 'olm.csv.metadata', value: { annotations: { 'olm.substitutesFor': substitutesFor } } }]),
  ],
  relatedImages: [],
  objects: [],
});

function render(template: string, bundles: Record<string, CatalogBundle[]>, type?: TemplateType): Catalog | string {
  try {
    const images = Object.entries(bundles).map(([image, listed]) => [image, { bundles: listed }] as const);
    return renderTemplate(parseTemplate(template, type), new Map(images));
  } catch (error) {
    if (error instanceof TemplateError) return error.olmText;
    throw error;
  }
}

const channelsOf = (catalog: Catalog | string) =>
  typeof catalog === 'string'
    ? catalog
    : catalog.channels.map(({ name, entries }) =>
        [
          name,
          ...(entries ?? []).map((entry) => [entry.name, entry.replaces ?? '-', ...(entry.skips ?? [])].join(' ')),
        ].join(' | '),
      );

const semver = (...lines: string[]) => `schema: olm.semver\n${lines.join('\n')}\n`;
const one = { i: [bundle('ant.v1.0.0', { version: '1.0.0' })] };

describe('a semver template', () => {
  it.each([
    { lines: ['Candidate: {Bundles: [{Image: i}]}'], because: 'field names match in any case' },
    { lines: ['candidate: {bundles: [{image: i}]}', '---', 'a: [', 'b'], because: 'only the first document is read' },
    { lines: ['# note', 'candidate: {bundles: [{image: i}]}', '---'], because: 'a separator at the end is harmless' },
    { lines: ['candidate: {bundles: [{image: i}]}', 'fast: null', 'stable: {}'], because: 'nothing is nothing' },
  ])('is read: $because', ({ lines }) => {
    expect(channelsOf(render(semver(...lines), one))).toEqual(['candidate-v1.0 | ant.v1.0.0 -']);
  });

  it.each([
    { behind: '...\n- [\n', because: 'an end mark' },
    { behind: '%YAML 1.2\n', because: 'a directive' },
    { behind: '---\n- [\n', because: 'a separator' },
  ])('ends at $because', ({ behind }) => {
    const template = semver('stable: {bundles: [{image: i}]}') + behind;
    expect(channelsOf(render(template, { i: [bundle('a', { version: '1.0.0' })] }))).toEqual(['stable-v1.0 | a -']);
  });

  it('opens at a separator that has only comments before it', () => {
    const text = `# ours\n---\n${semver('candidate: {bundles: [{image: i}]}')}`;
    expect(channelsOf(render(text, one, 'semver'))).toEqual(['candidate-v1.0 | ant.v1.0.0 -']);
  });

  const refused = 'rendering template: render: unable to read file: ';
  it.each([
    { text: '', says: `${refused}readFile: input file has unknown schema, should be "olm.semver"` },
    { text: semver('schema: olm.semver'), says: /line 2: key "schema" already set in map/ },
    { text: semver('candidate: {bundles: [{image: i, name: x}]}'), says: /json: unknown field "name"/ },
    { text: semver('candidate: [i]'), says: /cannot unmarshal array .*\.candidate / },
    { text: semver('candidate: {bundles: i}'), says: /cannot unmarshal string .*candidate\.bundles/ },
    { text: semver('generateMajorChannels: 1'), says: /cannot unmarshal number .*generateMajorChannels of type bool/ },
    { text: semver('__proto__: {}'), says: /json: unknown field "__proto__"/ },
    {
      text: semver('defaultChannelTypePreference: true'),
      says: `${refused}unknown DefaultChannelTypePreference: "true"\nValid values are 'major' or 'minor'`,
    },
    {
      text: semver('generateMajorChannels: true', 'defaultChannelTypePreference: minor'),
      says: `${refused}schema attribute mismatch: DefaultChannelTypePreference set to 'minor' doesn't make sense if not generating minor-version channels`,
    },
  ])('is refused: $says', ({ text, says }) => {
    const got = render(text, {}, 'semver');
    if (typeof says === 'string') expect(got).toBe(says);
    else expect(got).toMatch(says);
  });

  const post = 'rendering template: render: unable to post-process bundle info: ';
  it.each([
    {
      bundles: { i: [], j: [] },
      says: 'rendering template: bundle reference "i" resulted in 0 bundles, expected 1',
    },
    {
      bundles: { i: [bundle('ant.v1', { version: 'v1' })], j: [] },
      says: 'rendering template: bundle reference "j" resulted in 0 bundles, expected 1',
    },
    {
      bundles: { i: [bundle('ant.v1', { version: 'v1' })], j: [bundle('ant.v2', { version: '2.0.0' })] },
      says: `${post}bundle "ant.v1" has invalid version "v1": No Major.Minor.Patch elements found`,
    },
    {
      bundles: {
        i: [{ ...bundle('ant.v1', { version: '1.0.0' }), properties: [] }],
        j: [bundle('ant.v2', { version: '2.0.0' })],
      },
      says: `${post}bundle "ant.v1" has multiple "olm.package" properties, expected exactly 1`,
    },
    {
      bundles: { i: [bundle('a', { version: '1.0.0' })], j: [bundle('b', { version: '1.0.0' })] },
      says: `${post}encountered bundle versions which differ only by build metadata, which cannot be ordered: bundle version "1.0.0" cannot be compared to "1.0.0"`,
    },
  ])('says $says', ({ bundles, says }) => {
    expect(render(semver('fast: {bundles: [{image: i}, {image: j}]}'), bundles)).toBe(says);
  });

  it('takes the highest bundle of each minor version through a major one, and starts again at the next', () => {
    const bundles = Object.fromEntries(
      ['1.0.0', '1.0.10', '1.0.9', '1.2.0-rc.1', '1.2.0', '2.0.0'].map((version) => [
        version,
        [bundle(`ant.v${version}`, { version })],
      ]),
    );
    const images = Object.keys(bundles).map((image) => `{image: ${image}}`);
    const text = semver('generateMajorChannels: true', `stable: {bundles: [${images.join(', ')}]}`);
    expect(channelsOf(render(text, bundles))).toEqual([
      'stable-v1 | ant.v1.0.0 - | ant.v1.0.9 - | ant.v1.0.10 - ant.v1.0.0 ant.v1.0.9 | ant.v1.2.0-rc.1 - | ' +
        'ant.v1.2.0 ant.v1.0.10 ant.v1.0.0 ant.v1.0.9 ant.v1.2.0-rc.1',
      'stable-v2 | ant.v2.0.0 -',
    ]);
  });
});

describe('the package of a semver template', () => {
  const described = (base64data: string) => {
    const csv = {
      kind: 'ClusterServiceVersion',
      spec: { description: 'ants', icon: [{ base64data, mediatype: 'image/png' }] },
    };
    return { i: [{ ...bundle('ant.v1.0.0', { version: '1.0.0' }), objects: [csv] }] };
  };
  it.each([
    { data: 'aGk=\n', icon: { base64data: 'aGk=', mediatype: 'image/png' }, because: 'line breaks are no part of it' },
    { data: 'no base64', icon: undefined, because: 'an unreadable icon is left out' },
  ])('has the icon of the newest bundle: $because', ({ data, icon }) => {
    const got = render(semver('stable: {bundles: [{image: i}]}'), described(data));
    expect(typeof got === 'string' ? got : got.packages).toEqual([
      { schema: 'olm.package', name: 'ant', defaultChannel: 'stable-v1.0', description: 'ants', ...(icon && { icon }) },
    ]);
  });
});

describe('a basic template', () => {
  const basic = (entries: string) => `schema: olm.template.basic\nentries: ${entries}\n`;
  it.each([
    { text: basic('[{schema: olm.bundle}]'), says: 'unexpected fields present in basic template bundle' },
    { text: basic('[{name: x}]'), says: 'object \'{"name":"x"}\n\' is missing root schema field' },
    { text: basic('[{schema: olm.package, name: 1}]'), says: /^unmarshalling template: expected value for key "name"/ },
    { text: basic('[{schema: olm.package, icon: 1}]'), says: /^parse package: json: cannot unmarshal number/ },
    { text: basic('{}'), says: /^unmarshalling template: json: cannot unmarshal object/ },
    { text: 'a: [', says: /^decoding template schema: error converting YAML to JSON: yaml: line 1/ },
    { text: '', says: 'decoding template schema: EOF' },
  ])('is refused: $says', ({ text, says }) => {
    const got = String(render(text, {}, 'basic')).replace('rendering template: ', '');
    if (typeof says === 'string') expect(got).toBe(says);
    else expect(got).toMatch(says);
  });

  it('names the bundles to render once each', () => {
    const text = basic(
      '[{schema: olm.bundle, image: b}, {schema: olm.bundle, image: a}, {schema: olm.bundle, image: b}]',
    );
    expect(imagesOf(parseTemplate(text))).toEqual(['b', 'a']);
  });

  it('reports the first image that failed, in the order of the template', () => {
    const template = parseTemplate(basic('[{schema: olm.bundle, image: b}, {schema: olm.bundle, image: a}]'));
    const failed = (image: string) => [image, { failure: new Error(`failed to pull image "${image}"`) }] as const;
    expect(() => renderTemplate(template, new Map([failed('a'), failed('b')]))).toThrow('image "b"');
  });

  it('says why an image could not be rendered', () => {
    const template = parseTemplate(basic('[{schema: olm.bundle, image: b}]'));
    const failure = new Error('failed to pull image "b": no route');
    const action = () => renderTemplate(template, new Map([['b', { failure }]]));
    expect(action).toThrow('render reference "b": failed to pull image "b": no route');
    expect(action).toThrow(expect.objectContaining({ cause: failure }));
  });
});

describe('the type of a template', () => {
  it.each([
    { text: 'entries: []', says: "template input missing required 'schema' field" },
    { text: 'schema: olm.raw', says: 'unknown template schema: olm.raw' },
    { text: '', says: 'decoding template input: EOF' },
    { text: '[1]', says: /^unmarshalling template schema: json: cannot unmarshal array/ },
  ])('cannot be read from $text', ({ text, says }) => {
    const got = String(render(text, {})).replace('auto-detecting template type: ', '');
    if (typeof says === 'string') expect(got).toBe(says);
    else expect(got).toMatch(says);
  });
});

describe('a substitutes template', () => {
  const blob = (name: string, version: string) =>
    JSON.stringify({
      schema: 'olm.bundle',
      name,
      package: 'ant',
      image: `registry.example/ant:${name.replace('+', '_')}`,
      properties: [{ type: 'olm.package', value: { packageName: 'ant', version } }],
    });
  const template = (entries: string, substitutions: string) =>
    [
      'schema: olm.template.substitutes',
      'entries:',
      '- {schema: olm.package, name: ant, defaultChannel: stable}',
      `- {schema: olm.channel, package: ant, name: stable, entries: ${entries}}`,
      `- ${blob('ant.v1.0.0', '1.0.0')}`,
      `- ${blob('ant.v1.1.0+1', '1.1.0+1')}`,
      `- ${blob('ant.v1.2.0', '1.2.0')}`,
      `substitutions: ${substitutions}`,
    ].join('\n');
  const line =
    '[{name: ant.v1.0.0}, {name: ant.v1.1.0+1, replaces: ant.v1.0.0}, {name: ant.v1.2.0, replaces: ant.v1.1.0+1}]';
  const s = [bundle('ant-v1.1.0-1', { version: '1.1.0', release: '1' })];
  const t = [bundle('ant-v1.1.0-2', { version: '1.1.0', release: '2' })];

  it('substitutes a substitute again', () => {
    const text = template(line, '[{name: s, base: ant.v1.1.0+1}, {name: t, base: ant-v1.1.0-1}]');
    expect(channelsOf(render(text, { s, t }))).toEqual([
      'stable | ant.v1.0.0 - | ant.v1.1.0+1 - | ant.v1.2.0 ant-v1.1.0-2 ant.v1.1.0+1 ant-v1.1.0-1 | ' +
        'ant-v1.1.0-1 - | ant-v1.1.0-2 ant.v1.0.0 ant.v1.1.0+1 ant-v1.1.0-1',
    ]);
  });

  it('moves skips of the base to the substitute', () => {
    const skipping =
      '[{name: ant.v1.0.0}, {name: ant.v1.1.0+1, replaces: ant.v1.0.0}, {name: ant.v1.2.0, replaces: ant.v1.0.0, skips: [ant.v1.1.0+1]}]';
    const text = template(skipping, '[{name: s, base: ant.v1.1.0+1}]');
    expect(channelsOf(render(text, { s }))).toEqual([
      'stable | ant.v1.0.0 - | ant.v1.1.0+1 - | ant.v1.2.0 ant.v1.0.0 ant-v1.1.0-1 | ant-v1.1.0-1 ant.v1.0.0 ant.v1.1.0+1',
    ]);
  });

  it('orders by the build metadata of a bundle that says what it substitutes', () => {
    const built = (version: string) => [bundle(`ant.v${version}`, { version, substitutesFor: 'ant.v1.1.0' })];
    const text = template(line, '[{name: s, base: ant.v1.1.0+1}]');
    expect(channelsOf(render(text, { s: built('1.1.0+2') }))).toEqual([
      'stable | ant.v1.0.0 - | ant.v1.1.0+1 - | ant.v1.2.0 ant.v1.1.0+2 ant.v1.1.0+1 | ant.v1.1.0+2 ant.v1.0.0 ant.v1.1.0+1',
    ]);
    const plain = [bundle('ant.v1.1.0+2', { version: '1.1.0+2' })];
    expect(render(text, { s: plain })).toContain('is not less than substitute bundle "s"');
  });

  const at = (base: string, name = 's') =>
    `rendering template: render: error processing substitution "${base}" -> "${name}": `;
  it.each([
    { substitutions: '[{name: s}]', says: `${at('')}substitution base cannot be empty` },
    { substitutions: '[{name: s, base: s}]', says: `${at('s')}substitution name and base cannot be the same` },
    { substitutions: '[{name: s, base: x}]', says: `${at('x')}base bundle "x" does not exist in catalog` },
    {
      substitutions: '[{name: none, base: ant.v1.0.0}]',
      says: `${at('ant.v1.0.0', 'none')}failed to render bundle image reference "none": render reference "none": failed to pull image "none": not found`,
    },
    {
      substitutions: '[{name: empty, base: ant.v1.0.0}]',
      says: `${at('ant.v1.0.0', 'empty')}rendered bundle image reference "empty" contains no bundles`,
    },
    {
      substitutions: '[{name: s, base: ant.v1.0.0}, {name: s, base: ant.v1.1.0+1}]',
      says: 'rendering template: render: cannot reuse the same substitution "s" for different bases ("ant.v1.0.0" and "ant.v1.1.0+1")',
    },
    {
      substitutions: '[{name: other, base: ant.v1.0.0}]',
      says: `${at('ant.v1.0.0', 'other')}resulting config is not valid FBC: unknown package "bee" for bundle "bee.v2"`,
    },
  ])('says $says', ({ substitutions, says }) => {
    const other = [bundle('bee.v2', { version: '2.0.0', package: 'bee' })];
    expect(render(template(line, substitutions), { s, other, empty: [] })).toBe(says);
  });
});
