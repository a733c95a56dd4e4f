import type { ManualTerm, VerbManual } from '../../../apps/cli/src/commands/help/verb-manual.js';
import { commandManuals } from '../../distribution/command-texts.js';
import { code, markdownTable } from './markdown-table.js';

const INTRODUCTION = `# Verbs and options

What \`flotilla VERB --help\` prints, of every verb. Made from the command itself. By task, with what each prints: [the command](../docs/command.md).`;

/** The page about every verb of the command. */
export const verbsPage = (): string =>
  [
    INTRODUCTION,
    ...commandManuals()
      .filter(({ path }) => path.length > 0)
      .map(sectionOf),
  ].join('\n\n');

function sectionOf({ path, summary, usage, operands, options, verbs, more }: VerbManual): string {
  const parts = [
    `## ${['flotilla', ...path].join(' ')}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `\`\`\`text\n${usage}\n\`\`\``,
    terms(
      'Argument',
      operands.filter(({ description }) => description !== ''),
    ),
    terms('Verb', verbs),
    terms('Option', options),
    more === '' ? '' : `\`\`\`text\n${more}\n\`\`\``,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const terms = (heading: string, all: readonly ManualTerm[]): string =>
  all.length === 0
    ? ''
    : markdownTable(
        [heading, 'Meaning'],
        all.map(({ term, description }) => [code(term), description]),
      );
