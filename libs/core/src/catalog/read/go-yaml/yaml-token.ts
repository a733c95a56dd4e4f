import type { Mark } from './yaml-cursor.js';

/** Kinds of tokens without a value of their own. */
export type MarkKind =
  | 'document-start'
  | 'document-end'
  | 'stream-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value';

/** A token of a YAML stream, named as in libyaml. `mark` is its start. */
export type YamlToken =
  | Readonly<{ kind: MarkKind; mark: Mark }>
  | Readonly<{ kind: 'scalar'; mark: Mark; value: string; isPlain: boolean }>
  | Readonly<{ kind: 'anchor' | 'alias'; mark: Mark; name: string }>
  | Readonly<{ kind: 'tag'; mark: Mark; handle: string; suffix: string }>
  | Readonly<{ kind: 'version-directive'; mark: Mark; version: string }>
  | Readonly<{ kind: 'tag-directive'; mark: Mark; handle: string; prefix: string }>;

export type TokenKind = YamlToken['kind'];
