import { Option } from 'commander';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { UsageError } from '../terminal/io.js';

/** Formats of a verb that answers one question; `table` and `text` are two words for the form for people. */
export const ANSWER_FORMATS = ['text', 'table', 'json', 'yaml'] as const;
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** Formats of a verb that lists objects or rows. */
export const LIST_FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/**
 * `-o, --output`, the same option with the same message for an unknown value on every verb; the
 * default is the first format.
 */
export function outputOption(description: string, formats: readonly string[], usual = formats[0]): Option {
  const option = new Option('-o, --output <format>', description).choices(formats);
  option.argParser((value: string) => {
    if (formats.includes(value)) return value;
    throw unknownFormat(value, formats);
  });
  return usual === undefined ? option : option.default(usual);
}

/** One message about a format that a verb does not have, with the nearest of those it has. */
export const unknownFormat = (typed: string, formats: readonly string[]): UsageError =>
  new UsageError(`invalid --output value "${typed}", expected (${formats.join('|')})${didYouMean(typed, formats)}`);
