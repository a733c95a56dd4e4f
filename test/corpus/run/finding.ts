import type { CorpusCase } from '../corpus-case.js';

/** Something that is not as it must be. */
export type Finding = Readonly<{
  number: number;
  /** The invariant or outcome of the finding. */
  about: 'crash' | 'hang' | 'silence' | 'verdict' | 'objects' | 'length';
  /** The place of the finding: a command, or the install. */
  at: string;
  text: string;
  oddities: readonly string[];
}>;

export const finding = (
  { number, oddities }: Pick<CorpusCase, 'number' | 'oddities'>,
  about: Finding['about'],
  at: string,
  text: string,
): Finding => ({ number, about, at, text: text.length > 600 ? `${text.slice(0, 600)}…` : text, oddities });
