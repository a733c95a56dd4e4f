/** Values of a template, by the name of the placeholder. */
type Values = Readonly<Record<string, string>>;
type Render = (values: Values) => string;

const PLACEHOLDER = /\{\{\s*([A-Za-z]*)\s*\}\}/g;

/** Reads a template with placeholders such as `{{event}}`. Returns its problem if it uses unknown ones. */
export function readTemplate(
  field: string,
  template: string,
  names: readonly string[],
): Readonly<{ render: Render } | { problem: string }> {
  const unknown = [...template.matchAll(PLACEHOLDER)]
    .map(([, name = '']) => name)
    .find((name) => !names.includes(name));
  const known = names.map((name) => `{{${name}}}`).join(', ');
  if (unknown !== undefined) return { problem: `${field}: there is no {{${unknown}}}; use ${known}` };
  if (template.trim() === '') return { problem: `${field}: it is empty; write a text or use ${known}` };
  const rest = template.replace(PLACEHOLDER, '');
  if (rest.includes('{{') || rest.includes('}}')) {
    return { problem: `${field}: {{ and }} must enclose one of ${known}` };
  }
  return { render: (values) => template.replace(PLACEHOLDER, (_, name: string) => values[name] ?? '') };
}
