/**
 * A pattern of one character that is white space to Go's unicode package. The byte order mark is none there.
 */
export const GO_SPACE = String.raw`[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
