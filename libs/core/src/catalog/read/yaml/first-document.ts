import { readGoYaml } from '../go-yaml/read-go-yaml.js';

/** Deepest nesting of collections accepted in any document, JSON or YAML. */
export const MAX_DEPTH = 200;

/**
 * Reads the first document of a YAML text, null if it has no content. Go's reader stops behind it and never
 * sees the rest, well formed or not (spec: file-based-catalogs.md §1.2). Keys may be given twice unless
 * `uniqueKeys`. Throws YamlError.
 */
export const loadFirstDocument = (text: string, uniqueKeys = false): unknown =>
  readGoYaml(text, { uniqueKeys, maxDepth: MAX_DEPTH });
