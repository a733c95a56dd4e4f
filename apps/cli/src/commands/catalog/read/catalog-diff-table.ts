import type { BrokenInvariant } from '#core/catalog/diff/broken-invariant';
import type { CatalogChange } from '#core/catalog/diff/catalog-change';
import type { CatalogDiff } from '#core/catalog/diff/catalog-diff';
import type { PathNote } from '#core/catalog/diff/path-notes';
import { type Columns, table } from '../../../output/table.js';

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

const changeColumns: Columns<CatalogChange> = [
  ['', ({ change }) => SIGNS[change]],
  ['PACKAGE', (row) => row.package],
  ['WHAT', ({ what }) => what],
  ['CHANNEL', ({ channel = '' }) => channel],
  ['NAME', ({ name = '' }) => name],
  ['BEFORE', ({ before = '' }) => oneLine(before)],
  ['AFTER', ({ after = '' }) => oneLine(after)],
];

/**
 * Returns changes as a table, then each broken invariant with its state before and now, and its fix. Paths
 * that change without a break come last. Returns '' if nothing changed.
 */
export function diffTable({ changes, broken, notes }: CatalogDiff): string {
  const parts = changes.length === 0 ? [] : [table(changes, changeColumns)];
  if (broken.length > 0) parts.push(`BROKEN UPGRADE PATHS: ${broken.length}\n${broken.map(paragraph).join('')}`);
  if (notes.length > 0)
    parts.push(`CHANGED UPGRADE PATHS THAT ARE NOT BROKEN: ${notes.length}\n${notes.map(noteText).join('')}`);
  return parts.join('\n');
}

const noteText = ({ note, package: owner, channel, bundle, before, after }: PathNote): string =>
  `${note}: ${bundle} in ${owner}/${channel}\n  before: ${before}\n  now:    ${after}\n`;

function paragraph({ invariant, package: owner, channel, bundle, before, after, mend }: BrokenInvariant): string {
  const who = bundle === '' ? 'every bundle' : bundle;
  return [
    `${invariant}: ${who} in ${owner}/${channel}`,
    `  before: ${before}`,
    `  now:    ${after}`,
    `  mend:   ${mend}`,
    '',
  ].join('\n');
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
