import { forReading } from '../../catalog/graph/graph-view.js';
import { deprecationOf, graphOf, newestFirst, versionText } from '../../catalog/graph/upgrade-graph.js';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { type CsvDescription, describeCsv } from '../../classic/package-manifest/csv-description.js';
import { channelsOf, headOf } from '../../classic/package-manifest/package-content.js';
import { recordsAt, textAt, textMapAt, textsAt } from '../../kernel/json/json-access.js';
import type { ContentPackage, ContentTile } from './catalog-answers.js';

const LONGEST_NAME = 1_000;
const LONGEST_LINE = 300;
const LONGEST_DESCRIPTION = 65_536;
const MOST_OF_EACH = 50;
/** Most entries of all channels together. */
const MOST_ENTRIES = 3_000;

const cut = (text: string, most: number = LONGEST_LINE): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
const few = <T>(list: readonly T[]): readonly T[] => list.slice(0, MOST_OF_EACH);

/** The record with the entries of its default channel alone. */
export function defaultChannelOf(record: PackageRecord): PackageRecord {
  return { ...record, entries: record.entries.filter(({ channel }) => channel === record.defaultChannel) };
}

/** The first icon of a CSV. */
export function iconOf(csv: unknown): Uint8Array {
  const [first] = describeCsv(csv)?.description.icon ?? [];
  return Uint8Array.from(Buffer.from(first?.base64data ?? '', 'base64'));
}

const annotationsOf = (description: CsvDescription | undefined) => textMapAt(description, 'annotations');
const categoriesOf = (annotations: Readonly<Record<string, string>>): string[] =>
  few((annotations['categories'] ?? '').split(','))
    .map((one) => cut(one.trim()))
    .filter((one) => one !== '');

function namesOf(record: PackageRecord, csv: unknown) {
  const description = describeCsv(csv)?.description;
  return {
    description,
    package: cut(record.name, LONGEST_NAME),
    displayName: cut(textAt(description, 'displayName')),
    provider: cut(description?.provider.name ?? ''),
    defaultChannel: cut(record.defaultChannel, LONGEST_NAME),
  };
}

/**
 * Returns a package as a tile. `csv`: CSV of the head of the default channel. Undefined if it is not
 * available.
 */
export function contentTile(record: PackageRecord, csv: unknown, icon: string): ContentTile {
  const { description, ...names } = namesOf(record, csv);
  const annotations = annotationsOf(description);
  const head = headOf(channelsOf(record).get(record.defaultChannel) ?? []);
  const [firstLine = ''] = textAt(description, 'description').trim().split('\n', 1);
  return {
    ...names,
    icon,
    summary: cut((annotations['description'] ?? firstLine.replace(/^#+\s*/, '')).replaceAll(/\s+/g, ' ')),
    newest: cut(head?.version || (head?.name ?? '')),
    categories: categoriesOf(annotations),
    deprecated: record.deprecation !== undefined,
  };
}

/** Returns channels with their entries, newest first. If there are too many, the oldest are left out. */
function channelsWithin(record: PackageRecord): Pick<ContentPackage, 'channels' | 'older'> {
  const groups = graphOf(record).channels.toSorted(forReading);
  const most = Math.max(1, Math.floor(MOST_ENTRIES / Math.max(1, groups.length)));
  const messages = new Map(Object.entries(record.channelDeprecations ?? {}));
  const channels = groups.slice(0, MOST_ENTRIES).map(({ channel, entries }) => ({
    name: cut(channel, LONGEST_NAME),
    deprecation: cut(messages.get(channel) ?? ''),
    entries: entries
      .toSorted(newestFirst)
      .slice(0, most)
      .map((entry) => ({
        bundle: cut(entry.name, LONGEST_NAME),
        version: cut(versionText(entry)),
        deprecation: cut(deprecationOf(entry) ?? ''),
      })),
  }));
  const shown = channels.reduce((sum, { entries }) => sum + entries.length, 0);
  return { channels, older: record.entries.length - shown };
}

/**
 * Returns the texts that a user reads before installing a package: those of the CSV of its default channel’s
 * head.
 */
export function contentPackage(record: PackageRecord, csv: unknown, icon: string): ContentPackage {
  const { description, ...names } = namesOf(record, csv);
  const annotations = annotationsOf(description);
  const text = (name: string) => cut(annotations[name] ?? '');
  const owned = ['customresourcedefinitions', 'apiservicedefinitions'].flatMap((field) =>
    recordsAt(description, field, 'owned'),
  );
  const required = ['customresourcedefinitions', 'apiservicedefinitions'].flatMap((field) =>
    recordsAt(description, field, 'required'),
  );
  return {
    ...names,
    icon,
    description: cut(textAt(description, 'description'), LONGEST_DESCRIPTION),
    deprecation: cut(record.deprecation ?? '', LONGEST_NAME),
    ...channelsWithin(record),
    categories: categoriesOf(annotations),
    ...{ capabilities: text('capabilities'), repository: text('repository'), image: text('containerImage') },
    ...{ createdAt: text('createdAt'), support: text('support'), maturity: cut(textAt(description, 'maturity')) },
    keywords: few(textsAt(description, 'keywords')).map((word) => cut(word)),
    links: few(recordsAt(description, 'links')).map((one) => ({
      name: cut(textAt(one, 'name')),
      url: cut(textAt(one, 'url'), LONGEST_NAME),
    })),
    maintainers: few(recordsAt(description, 'maintainers')).map((one) => ({
      name: cut(textAt(one, 'name')),
      email: cut(textAt(one, 'email')),
    })),
    installModes: few(recordsAt(description, 'installModes')).map((one) => ({
      type: cut(textAt(one, 'type')),
      supported: one['supported'] === true,
    })),
    provided: few(owned).map((one) => ({
      kind: cut(textAt(one, 'kind')),
      version: cut(textAt(one, 'version')),
      description: cut(textAt(one, 'description')),
    })),
    required: few(required).map((one) => cut(`${textAt(one, 'kind')} ${textAt(one, 'version')}`.trim())),
  };
}
