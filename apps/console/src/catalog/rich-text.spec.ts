import { describe, expect, it } from 'vitest';
import type { RichText } from '../api/catalogs.schema.js';
import { richText, safeAddress } from './rich-text.js';

/** The tree in few words: `type(children)`. */
const shown = (parts: readonly RichText[]): string =>
  parts.map((part) => ('children' in part ? `${part.type}(${shown(part.children)})` : part.text)).join(' ');

describe('the text of a catalog', () => {
  it.each([
    ['## Title ##\ntext\nmore', 'heading(Title) paragraph(text more)'],
    ['* one\n* two\n  * deeper\n\nafter', 'list(item(one) item(two list(item(deeper)))) paragraph(after)'],
    ['1. one\n2. two', 'list(item(one) item(two))'],
    ['```sh\nrm -rf *x*\n```\nend', 'rm -rf *x* paragraph(end)'],
    ['> said\n> twice', 'quote(paragraph(said twice))'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'table(row(cell(a) cell(b)) row(cell(1) cell(2)))'],
    [
      '**bold** and *soft*, `code`, snake_case_name',
      'paragraph(strong(bold)  and  emphasis(soft) ,  code , snake_case_name)',
    ],
    ['[guide](https://example.com/x) https://example.org.', 'paragraph(link(guide)   link(https://example.org) .)'],
    ['![picture](https://example.com/x.png)', 'paragraph(picture)'],
    ['<script>alert(1)</script>', 'paragraph(<script>alert(1)</script>)'],
    ['[x](javascript:alert(1))', 'paragraph([x](javascript:alert(1)))'],
    ['', ''],
  ])('%j is read', (text, tree) => expect(shown(richText(text))).toBe(tree));

  it.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://user:pass@example.com', 'file:///etc'])(
    'does not lead to %s',
    (address) => expect(safeAddress(address)).toBeUndefined(),
  );

  it.each([
    ['brackets', '['.repeat(64_000)],
    ['stars', '*a '.repeat(21_000)],
    ['quotes', '> '.repeat(32_000)],
    ['items', '* '.repeat(32_000)],
    ['back-quotes', '`a'.repeat(32_000)],
    ['lines', '* x\n\n'.repeat(12_000)],
    ['links', '[a](https://e'.repeat(5_000)],
  ])('is read in no time, whatever its author wrote: %s', (_, text) => {
    const before = performance.now();
    richText(text);
    expect(performance.now() - before, 'milliseconds').toBeLessThan(5_000);
  });
});
