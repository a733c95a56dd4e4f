/**
 * Returns the text. If it is longer than `most`, returns so many characters, with `…` as the last. No
 * character is cut in two.
 */
export function cutText(text: string, most: number): string {
  // No character takes less than one unit.
  if (text.length <= most) return text;
  let [characters, units, end] = [0, 0, 0];
  for (const character of text) {
    if (characters === most) return `${text.slice(0, end)}…`;
    end = units;
    units += character.length;
    characters += 1;
  }
  return text;
}
