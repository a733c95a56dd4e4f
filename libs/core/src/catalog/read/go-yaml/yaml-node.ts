/** A node of a YAML document. `line` counts from 0; `tag` is empty if there is none. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;

/** `isImplicit`: the value decides about the type: it is plain, or its tag is `!`. */
export type ScalarNode = Readonly<{ kind: 'scalar'; line: number; tag: string; value: string; isImplicit: boolean }>;
export type SequenceNode = Readonly<{ kind: 'sequence'; line: number; items: YamlNode[] }>;
export type MappingNode = Readonly<{ kind: 'mapping'; line: number; pairs: (readonly [YamlNode, YamlNode])[] }>;
/** `target` may be a collection that has the alias within. */
export type AliasNode = Readonly<{ kind: 'alias'; line: number; name: string; target: YamlNode }>;
