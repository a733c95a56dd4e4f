import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../catalog/load/load-catalog.js';
import type { ChannelEntry } from '../../catalog/model/catalog.js';
import type { LabelSelector } from '../../kernel/labels/label-selector.js';
import { formatVersion } from '../../kernel/versions/version.js';
import type { CatalogQuery, ExtensionCatalog, ExtensionInput } from './catalog-query.js';
import { packageIndex } from './package-content.js';
import { resolveExtension } from './resolve-extension.js';

type Entry = ChannelEntry & Readonly<{ version?: string }>;

const versionOf = (name: string): string => name.slice(name.indexOf('.v') + 2);

/** A catalog of package `lamp`; every entry has a bundle, whose version is part of its name unless given. */
function catalog(
  name: string,
  channels: Record<string, Entry[]>,
  more: Partial<ExtensionCatalog> = {},
): ExtensionCatalog {
  const bundles = new Map(Object.values(channels).flatMap((entries) => entries.map((entry) => [entry.name, entry])));
  const blobs = [
    { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
    ...Object.entries(channels).map(([channel, entries]) => ({
      schema: 'olm.channel',
      name: channel,
      package: 'lamp',
      entries: entries.map(({ version: _version, ...entry }) => entry),
    })),
    ...[...bundles.values()].map((entry) => ({
      schema: 'olm.bundle',
      name: entry.name,
      package: 'lamp',
      image: `registry.example/${entry.name}`,
      properties: [
        { type: 'olm.package', value: { packageName: 'lamp', version: entry.version ?? versionOf(entry.name) } },
      ],
    })),
  ];
  const bytes = new TextEncoder().encode(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  return {
    name,
    labels: {},
    priority: 0,
    availabilityMode: 'Available',
    content: packageIndex(loadCatalog([{ path: 'catalog.json', bytes }]), {}),
    ...more,
  };
}

const at = (version: string) => ({ name: `lamp.v${version}`, version });

function answer(input: Partial<Omit<ExtensionInput, 'query'>> & { query?: Partial<CatalogQuery> }): string {
  const query = { packageName: 'lamp', ...input.query };
  const resolution = resolveExtension({ installed: undefined, catalogs: [], majorUpdates: 'follow', ...input, query });
  return resolution.class === 'Resolved'
    ? `${formatVersion(resolution.version.version)} from ${resolution.catalog}`
    : `${resolution.class}: ${resolution.error}`;
}

const line: Entry[] = [
  { name: 'lamp.v1.0.0' },
  { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' },
  { name: 'lamp.v2.0.0', replaces: 'lamp.v1.1.0', skipRange: '>=1.0.0 <2.0.0' },
];

describe('steps to another major version', () => {
  const main = catalog('main', { stable: line });
  const held = (version: string, installed: string): string =>
    `Version "${version}" is held back: it is of another major version than the installed "${installed}". To install it, set spec.source.catalog.version to "${version}".`;

  it.each([
    {
      from: '1.0.0',
      version: '',
      policy: undefined,
      mode: 'follow',
      is: '2.0.0 from main',
      because: 'OLM v1 follows every edge',
    },
    {
      from: '1.0.0',
      version: '',
      policy: undefined,
      mode: 'manual',
      is: '1.1.0 from main',
      because: 'nobody asked for 2',
    },
    {
      from: '1.0.0',
      version: '2.0.0',
      policy: undefined,
      mode: 'manual',
      is: '2.0.0 from main',
      because: 'the pin can only mean it',
    },
    {
      from: '1.0.0',
      version: '>=2',
      policy: undefined,
      mode: 'manual',
      is: '2.0.0 from main',
      because: 'no 1.x satisfies the range',
    },
    {
      from: '1.0.0',
      version: '>=1.0.0',
      policy: undefined,
      mode: 'manual',
      is: '1.1.0 from main',
      because: 'a range that 1.x satisfies asks for nothing more',
    },
    {
      from: '1.0.0',
      version: '',
      policy: 'SelfCertified',
      mode: 'manual',
      is: '2.0.0 from main',
      because: 'SelfCertified is free',
    },
    {
      from: '1.9.0',
      version: '',
      policy: undefined,
      mode: 'manual',
      is: `NotFound: error upgrading from currently installed version "1.9.0": no bundles found for package "lamp". ${held('2.0.0', '1.9.0')}`,
      because: 'what is held back is named when nothing else is left',
    },
  ] as const)(
    '$mode, $from installed, version "$version", $policy → $is: $because',
    ({ from, version, policy, mode, is }) => {
      const query = { version, upgradeConstraintPolicy: policy };
      expect(answer({ catalogs: [main], installed: at(from), majorUpdates: mode, query })).toBe(is);
    },
  );

  const onlyTwo = catalog('new', { stable: [{ name: 'lamp.v2.0.0', skipRange: '>=1.0.0-0 <2.0.0' }] });
  it.each([
    { version: '>=1.0', catalogs: [{ ...main, availabilityMode: 'Unavailable' }, onlyTwo] },
    { version: '>=1.0', catalogs: [onlyTwo] },
    { version: '*', catalogs: [onlyTwo] },
    { version: '1.x || 2.x', catalogs: [onlyTwo] },
    { version: '>=1.0', catalogs: [onlyTwo], from: '1.1.0-rc.1' },
    {
      version: '>=1.0',
      catalogs: [{ ...main, labels: { tier: 'old' } }, onlyTwo],
      selector: { matchLabels: { tier: 'new' } },
    },
  ])('stays on 1.x with range "$version" when no catalog in use has 1.x any more', (row) => {
    const { version, catalogs, from = '1.1.0', selector } = row;
    const query = { version, selector };
    const only = catalogs.map((one) => (one === onlyTwo ? { ...one, labels: { tier: 'new' } } : one));
    expect(answer({ catalogs: only, installed: at(from), majorUpdates: 'manual', query })).toContain(
      held('2.0.0', from),
    );
  });

  it.each([{ version: '2.x' }, { version: '>=2.0.0' }, { version: '>1.1.0' }, { version: '2.0.0' }])(
    'takes 2.0.0 with range "$version", which excludes the installed 1.1.0',
    ({ version }) => {
      const input = {
        catalogs: [onlyTwo],
        installed: at('1.1.0'),
        majorUpdates: 'manual',
        query: { version },
      } as const;
      expect(answer(input)).toBe('2.0.0 from new');
    },
  );

  it('names what it holds back beside what it takes', () => {
    const installed = at('1.0.0');
    const resolution = resolveExtension({
      query: { packageName: 'lamp' },
      installed,
      catalogs: [main],
      majorUpdates: 'manual',
    });
    expect(resolution).toMatchObject({ name: 'lamp.v1.1.0', heldBack: { version: '2.0.0', installed: '1.0.0' } });
  });

  it('takes 0.x for one major version', () => {
    const young = catalog('main', {
      stable: [{ name: 'lamp.v0.1.0' }, { name: 'lamp.v0.9.0', replaces: 'lamp.v0.1.0' }],
    });
    expect(answer({ catalogs: [young], installed: at('0.1.0'), majorUpdates: 'manual' })).toBe('0.9.0 from main');
  });
});

describe('what the vectors leave open', () => {
  const main = catalog('main', { stable: line });
  const foreign = catalog('foreign', {}, { content: { package: () => undefined } });

  it.each([
    {
      because: 'an invalid range is told before any catalog is read',
      input: { catalogs: [main], query: { version: '>>1' } },
      is: 'InvalidVersionRange: desired version range ">>1" is invalid: improper constraint: ">>1"',
    },
    {
      because: 'an unreadable installed version matters where the package is found',
      input: { catalogs: [foreign, main], installed: { name: 'lamp', version: 'one' } },
      is: 'InvalidInstalledVersion: error walking catalogs: error finding upgrade edges: failed to get version and release of installed bundle: No Major.Minor.Patch elements found',
    },
    {
      because: 'and nowhere else',
      input: { catalogs: [foreign], installed: { name: 'lamp', version: 'one' } },
      is: 'NotFound: error upgrading from currently installed version "one": no bundles found for package "lamp"',
    },
    {
      because: 'nor when edges do not count',
      input: {
        catalogs: [main],
        installed: { name: 'lamp', version: 'one' },
        query: { upgradeConstraintPolicy: 'SelfCertified' },
      },
      is: '2.0.0 from main',
    },
    {
      because: 'a catalog that is switched off need not be readable',
      input: {
        catalogs: [{ ...main, name: 'off', availabilityMode: 'Unavailable', content: { error: 'gone' } }, main],
      },
      is: '2.0.0 from main',
    },
    {
      because: 'keys of prototypes are no packages',
      input: { catalogs: [main], query: { packageName: '__proto__' } },
      is: 'NotFound: no bundles found for package "__proto__"',
    },
  ])('$because', ({ input, is }) => {
    expect(answer(input)).toBe(is);
  });

  const nameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  it.each<{ selector: LabelSelector; why: string }>([
    {
      selector: { matchExpressions: [{ key: 'tier', operator: 'Foo', values: ['a'] }] },
      why: '"Foo" is not a valid label selector operator',
    },
    {
      selector: { matchExpressions: [{ key: 'tier', operator: 'In' }] },
      why: "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    },
    {
      selector: { matchExpressions: [{ key: 'tier', operator: 'Exists', values: ['x'] }] },
      why: 'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    },
    {
      selector: { matchExpressions: [{ key: '', operator: 'Exists' }] },
      why: `key: Invalid value: "": name part must be non-empty; name part ${nameRule}`,
    },
    {
      selector: { matchExpressions: [{ key: '/b', operator: 'Exists' }] },
      why: 'key: Invalid value: "/b": prefix part must be non-empty',
    },
    {
      selector: { matchLabels: { tier: 'b d' } },
      why: "values[0][tier]: Invalid value: \"b d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    },
  ])('a selector that is none is refused in Kubernetes’ words: $selector', ({ selector, why }) => {
    expect(answer({ catalogs: [main], query: { selector } })).toBe(
      `InvalidSelector: desired catalog selector is invalid: ${why}`,
    );
  });
});
