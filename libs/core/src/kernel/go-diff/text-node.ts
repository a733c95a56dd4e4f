/**
 * A line of text, something with text around it, or a list in one line or several
 * (go-cmp v0.7, report_text.go).
 */
export type TextNode = string | Readonly<{ prefix: string; value: TextNode; suffix: string }> | readonly TextRecord[];

/** An entry of a list. */
export type TextRecord = Readonly<{
  sign: Sign;
  key: string;
  value: TextNode;
  noComma?: boolean;
  comment?: string;
}>;

/** Removed, inserted, or neither. */
export type Sign = '' | '-' | '+';

export const ELLIPSIS = '...';
const MAX_COLUMNS = 80;

export const isSameText = (a: TextNode, b: TextNode): boolean => JSON.stringify(a) === JSON.stringify(b);
const isList = (node: TextNode): node is readonly TextRecord[] => Array.isArray(node);

/** Writes all of it in lines. Go puts no-break spaces for spaces in some processes. */
export function renderText(node: TextNode): string {
  return `${indentation('', 0)}${expanded(compacted(node, '').node, '', 0)}\n`;
}

type Compacted = Readonly<{ line: string; node: TextNode }>;

/** Joins the parts that fit into a line. */
function compacted(node: TextNode, sign: Sign): Compacted {
  if (typeof node === 'string') return { line: node, node };
  if (!isList(node)) {
    const inner = compacted(node.value, sign);
    const line = node.prefix + inner.line + node.suffix;
    return { line, node: typeof inner.node === 'string' ? line : { ...node, value: inner.node } };
  }
  const parts = node.map((record) => ({ record, ...compacted(record.value, record.sign || sign) }));
  const line = parts.map(({ record, line }) => (record.key === '' ? line : `${record.key}: ${line}`)).join(', ');
  const stays =
    parts.some(({ record, node }) => record.sign !== '' || typeof node !== 'string' || record.comment !== undefined) ||
    (sign !== '' && line.length > MAX_COLUMNS);
  return { line, node: stays ? parts.map(({ record, node }) => ({ ...record, value: node })) : line };
}

function expanded(node: TextNode, sign: Sign, indent: number): string {
  if (typeof node === 'string') return node;
  if (!isList(node)) return node.prefix + expanded(node.value, sign, indent) + node.suffix;
  const end = `\n${indentation(sign, indent)}`;
  if (isPlain(node)) {
    return (
      batches(node.map(({ value }) => value as string))
        .map((line) => `\n${indentation(sign, indent + 1)}${line}`)
        .join('') + end
    );
  }
  return node.map((record) => expandedRecord(record, sign, indent + 1)).join('') + end;
}

/** Writes a record without Go's columns: padding is the same for the same entries. */
function expandedRecord(record: TextRecord, around: Sign, indent: number): string {
  const sign = record.sign || around;
  const key = record.key === '' ? '' : `${record.key}: `;
  const comma = record.noComma === true ? '' : ',';
  const comment = record.comment === undefined ? '' : ` // ${record.comment}`;
  return `\n${indentation(sign, indent)}${key}${expanded(record.value, sign, indent)}${comma}${comment}`;
}

const isPlain = (list: readonly TextRecord[]): boolean =>
  list.length > 0 &&
  list.every(({ sign, key, value, comment }) => {
    return sign === '' && key === '' && typeof value === 'string' && comment === undefined;
  });

/** Puts short lines side by side. */
function batches(lines: readonly string[]): string[] {
  const done: string[] = [];
  let batch = '';
  for (const line of lines) {
    if (batch.length + line.length + 2 > MAX_COLUMNS && batch !== '') {
      done.push(batch.trimEnd());
      batch = '';
    }
    batch += `${line}, `;
  }
  return batch === '' ? done : [...done, batch.trimEnd()];
}

const indentation = (sign: Sign, indent: number): string => `${sign === '' ? ' ' : sign} ${'\t'.repeat(indent)}`;
