/** A larger icon is not shown. */
const LARGEST_ICON_BYTES = 262_144;

const starts = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0));

/**
 * The type of an icon by its content, whatever the catalog says it is; undefined: it is not shown. An SVG
 * that defines entities can grow without bound, or read other files.
 */
export function iconType(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > LARGEST_ICON_BYTES) return undefined;
  if (starts(bytes, 0, '\u0089PNG')) return 'image/png';
  if (starts(bytes, 0, '\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (starts(bytes, 0, 'GIF8')) return 'image/gif';
  if (starts(bytes, 0, 'RIFF') && starts(bytes, 8, 'WEBP')) return 'image/webp';
  const text = new TextDecoder().decode(bytes).replace(/^\ufeff/, '');
  if (!/^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/.test(text)) return undefined;
  return /<!(DOCTYPE|ENTITY)/i.test(text) ? undefined : 'image/svg+xml';
}
