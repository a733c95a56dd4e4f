type Labelled = Readonly<{ labels: Readonly<Record<string, string>> }>;

/** Returns a label as a value of filter `label`, as `KEY=VALUE`. A backslash escapes `=`, `!` and itself. */
export const labelText = (key: string, value: string): string =>
  `${key.replaceAll(/[\\=!]/g, String.raw`\$&`)}=${value}`;

/** Returns the value of filter `label` for clusters that do not have the label. */
export const withoutLabel = (key: string): string => `!${labelText(key, '')}`;

/** Returns the part of a filter value that names the label. */
const keyOf = (wanted: string): string => /^!?((?:[^\\=]|\\.)*)/su.exec(wanted)?.[1] ?? '';

/**
 * Returns a test for clusters: true if each label that is named has one of its named values. Several values
 * of one label are alternatives.
 */
export function hasLabels(wanted: readonly string[]): (row: Labelled) => boolean {
  const groups = [...Map.groupBy(wanted, keyOf)].map(([key, values]) => ({
    values: new Set(values),
    mayBeMissing: values.some((value) => value.startsWith('!')),
    key: key.replaceAll(/\\(.)/gsu, '$1'),
  }));
  return ({ labels }) =>
    groups.every(({ key, values, mayBeMissing }) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? mayBeMissing : values.has(labelText(key, value));
    });
}
