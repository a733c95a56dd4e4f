/**
 * True if one of the rules allows the path: `*`, a path, or the beginning of one and `*`, as
 * `nonResourceURLs` in RBAC.
 */
export const allowsPath = (rules: readonly string[], path: string): boolean =>
  rules.some((rule) => (rule.endsWith('*') ? path.startsWith(rule.slice(0, -1)) : path === rule));

/** Returns a path of the hub in the one spelling for rules, from any spelling in the request. */
export const canonicalPath = (segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment).replaceAll('%3A', ':')}`).join('');
