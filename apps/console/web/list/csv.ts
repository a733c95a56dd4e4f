/** A value of a row, as a spreadsheet takes it: quoted, and never a formula. */
function cell(value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value);
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Rows as RFC 4180 has them. */
export const csvOf = <R>(rows: readonly R[], columns: Readonly<Record<string, (row: R) => unknown>>): string =>
  [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((value) => value(row)))]
    .map((line) => line.map(cell).join(','))
    .join('\r\n');
