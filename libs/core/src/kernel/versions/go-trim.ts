const GO_SPACE = /^[\t\n\v\f\r \u0085\p{Z}]+|[\t\n\v\f\r \u0085\p{Z}]+$/gu;

/**
 * Returns the text without the blanks around it as Go's `strings.TrimSpace` sees them: U+0085 is one, a byte
 * order mark is none.
 */
export const goTrim = (text: string): string => text.replace(GO_SPACE, '');
