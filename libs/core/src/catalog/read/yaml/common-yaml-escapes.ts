import { YAML_ESCAPE_DIGITS, YAML_ESCAPES } from '../go-yaml/yaml-escapes.js';
import { UNCOMMON } from './uncommon-yaml.js';

const HEXADECIMAL = /^[0-9a-fA-F]+$/;
const MAX_CODE_POINT = 0x10ffff;

/**
 * Returns a line of a scalar in double quotes with its escapes replaced. Throws {@link UNCOMMON} for an
 * unknown one.
 */
export function escapedText(source: string): string {
  let text = '';
  let from = 0;
  for (let at = source.indexOf('\\'); at >= 0; at = source.indexOf('\\', from)) {
    const letter = source.charAt(at + 1);
    const meaning = YAML_ESCAPES.get(letter);
    const length = meaning === undefined ? (YAML_ESCAPE_DIGITS.get(letter) ?? 0) : 0;
    text += source.slice(from, at) + (meaning ?? characterOf(source.slice(at + 2, at + 2 + length), length));
    from = at + 2 + length;
  }
  return text + source.slice(from);
}

function characterOf(digits: string, length: number): string {
  if (length === 0 || digits.length < length || !HEXADECIMAL.test(digits)) throw UNCOMMON;
  const code = Number.parseInt(digits, 16);
  if (code > MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) throw UNCOMMON;
  return String.fromCodePoint(code);
}
