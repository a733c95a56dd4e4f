import { createHash } from 'node:crypto';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { sampleEntry } from '#core/classic/resolution/sample-problem.fixture';
import type { ContentTile } from '#core/view/catalog-pages/catalog-answers';
import { contentGraph } from '#core/view/catalog-pages/content-graph';
import { contentPackage, contentTile } from '#core/view/catalog-pages/content-package';
import type { CatalogQuestion, QuestionAnswer } from '#core/view/questions/console-question';

/** A package as a poller holds it: its record, and the CSV of the head of its default channel. */
export type HeldPackage = Readonly<{ record: PackageRecord; csv: unknown; icon: string }>;

type Look = Readonly<{ title: string; provider: string; summary: string; color: string; category: string }>;

const iconIn = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="9" fill="${color}"/><path d="M20 8 32 30H8z" fill="#fff"/></svg>`;

const DESCRIPTION = `Runs and upgrades its operands in **every namespace** that asks for them.

## What it does

* Installs the operand from a custom resource, and keeps it as it is described there.
* Takes backups every night, to any store that speaks \`S3\`.
* Moves data between versions without downtime, see the [guide](https://example.com/guide).

## Before you install

| Kubernetes | Supported |
| --- | --- |
| 1.33 | yes |
| 1.34 | yes |
`;

function csvOf(name: string, { title, provider, summary, color, category }: Look, description = DESCRIPTION): unknown {
  const annotations = {
    ...{ description: summary, categories: category, capabilities: 'Deep Insights', support: provider },
    ...{ repository: 'https://example.com/source', createdAt: '2026-10-01T08:00:00Z' },
    containerImage: `registry.example.com/${name}:latest`,
  };
  const owned = [{ name: 'harbors.example.com', kind: 'Harbor', version: 'v1', description: 'A place for ships' }];
  return {
    metadata: { name, annotations },
    spec: {
      ...{ displayName: title, description, version: '1.0.0', provider: { name: provider }, maturity: 'stable' },
      ...{ keywords: ['ships', 'docks'], links: [{ name: 'Documentation', url: 'https://example.com/docs' }] },
      maintainers: [{ name: 'Harbour team', email: 'team@example.com' }],
      icon: [{ base64data: Buffer.from(iconIn(color)).toString('base64'), mediatype: 'image/svg+xml' }],
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        ...{ type, supported: type !== 'MultiNamespace' },
      })),
      customresourcedefinitions: { owned, required: [{ name: 'lamps.example.com', kind: 'Lamp', version: 'v2' }] },
    },
  };
}

export function heldPackage(record: PackageRecord, look: Look, description?: string): HeldPackage {
  const csv = csvOf(record.name, look, description);
  return { record, csv, icon: createHash('sha256').update(iconIn(look.color)).digest('hex') };
}

/** Each version replaces the one before. */
export function chain(name: string, channel: string, ...versions: readonly string[]): PackageRecord['entries'] {
  return versions.map((version, at) =>
    sampleEntry(name, version, [], { channel, replaces: at === 0 ? '' : `${name}.v${versions[at - 1]}` }),
  );
}

/** Answers as a poller does that holds these packages. */
export function catalogAnswer(held: readonly HeldPackage[], question: CatalogQuestion): QuestionAnswer {
  if (question.ask === 'packages') {
    const all = held.map(({ record, csv, icon }): ContentTile => contentTile(record, csv, icon));
    const items = all.filter((tile) => JSON.stringify(tile).toLowerCase().includes(question.words.toLowerCase()));
    return { answer: { total: items.length, items: items.slice(question.offset, question.offset + question.limit) } };
  }
  const one = held.find(({ record }) => record.name === question.package);
  if (one === undefined) return { because: 'gone', message: 'the catalog has no such package' };
  const { record, csv, icon } = one;
  if (question.ask === 'graph') return { answer: contentGraph(record, question.from) };
  if (question.ask === 'package') return { answer: contentPackage(record, csv, icon) };
  const [image] = (csv as { spec: { icon: { base64data: string }[] } }).spec.icon;
  return { answer: { base64: image?.base64data ?? '' } };
}

const LAMP: PackageRecord = {
  ...{ name: 'lamp', defaultChannel: 'stable', channelDeprecations: { alpha: 'Take the channel stable.' } },
  entries: [...chain('lamp', 'stable', '1.0.0', '1.1.0', '1.2.0'), ...chain('lamp', 'alpha', '1.0.0', '2.0.0')],
};
const LOOK = { provider: 'Example Ltd', summary: 'Light for harbors', color: '#a61b1b', category: 'Networking' };
const HARBOR = { name: 'harbor', defaultChannel: 'stable', entries: chain('harbor', 'stable', '1.0.0') };

/** Packages in the catalog of the fleet of `fleet-rows.ts`. */
export const SAMPLES: readonly HeldPackage[] = [
  heldPackage(HARBOR, { ...LOOK, title: 'Harbor', color: '#00589b', summary: 'Berths for ships' }),
  heldPackage(LAMP, { ...LOOK, title: 'Lamp' }),
];
