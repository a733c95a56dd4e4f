import { YamlError } from './yaml.error.js';
import type { Mark } from './yaml-cursor.js';
import type { AliasNode, MappingNode, ScalarNode, SequenceNode, YamlNode } from './yaml-node.js';
import { YamlScanner } from './yaml-scanner.js';
import type { TokenKind, YamlToken } from './yaml-token.js';

/**
 * Parses the first document of a YAML text into a tree of nodes. Returns undefined for a text without a
 * document.
 */
export function parseFirstDocument(text: string, maxDepth: number): YamlNode | undefined {
  return new YamlParser(new YamlScanner(text), maxDepth).document();
}

/** Tokens that make an item, a member or a key before them empty. */
const NO_ITEM: ReadonlySet<TokenKind> = new Set(['block-entry', 'block-end']);
const NO_INDENTLESS_ITEM: ReadonlySet<TokenKind> = new Set(['block-entry', 'key', 'value', 'block-end']);
const NO_MEMBER: ReadonlySet<TokenKind> = new Set(['key', 'value', 'block-end']);
const NO_FLOW_KEY: ReadonlySet<TokenKind> = new Set(['value', 'flow-entry', 'flow-mapping-end']);
const NO_FLOW_VALUE: ReadonlySet<TokenKind> = new Set(['flow-entry', 'flow-mapping-end']);
const NO_PAIR_KEY: ReadonlySet<TokenKind> = new Set(['value', 'flow-entry', 'flow-sequence-end']);
const NO_PAIR_VALUE: ReadonlySet<TokenKind> = new Set(['flow-entry', 'flow-sequence-end']);
const NO_CONTENT: ReadonlySet<TokenKind> = new Set([
  'version-directive',
  'tag-directive',
  'document-start',
  'document-end',
  'stream-end',
]);

/** The place of a node. `isIndentless`: a sequence may begin in the column of its key. */
type Place = Readonly<{ isBlock: boolean; isIndentless: boolean }>;
const BLOCK: Place = { isBlock: true, isIndentless: false };
const MEMBER: Place = { isBlock: true, isIndentless: true };
const FLOW: Place = { isBlock: false, isIndentless: false };

type Properties = Readonly<{ mark: Mark; anchor: string | undefined; tag: string }>;

/**
 * Makes nodes of tokens by the grammar of libyaml, exactly as go-yaml does. A text that continues behind its
 * first document is read up to the first token there. Throws YamlError.
 */
class YamlParser {
  readonly #anchors = new Map<string, YamlNode>();
  readonly #prefixes = new Map<string, string>();
  #depth = 0;

  constructor(
    private readonly tokens: YamlScanner,
    private readonly maxDepth: number,
  ) {}

  document(): YamlNode | undefined {
    const first = this.tokens.peek();
    if (first.kind === 'stream-end') return undefined;
    const isExplicit = this.#directives() || first.kind === 'document-start';
    this.#prefix('!', '!');
    this.#prefix('!!', 'tag:yaml.org,2002:');
    let node: YamlNode;
    if (isExplicit) {
      const start = this.tokens.peek();
      if (start.kind !== 'document-start') fail('did not find expected <document start>', start);
      const content = this.tokens.next();
      node = NO_CONTENT.has(content.kind) ? empty(content) : this.#node(BLOCK);
    } else node = this.#node(BLOCK);
    this.tokens.peek();
    return node;
  }

  /** Reads the directives of the document. Returns false if there is none. */
  #directives(): boolean {
    let version: string | undefined;
    let found = false;
    for (let token = this.tokens.peek(); ; token = this.tokens.next()) {
      if (token.kind === 'version-directive') {
        if (version !== undefined) fail('found duplicate %YAML directive', token);
        if (token.version !== '1.1') fail('found incompatible YAML document', token);
        version = token.version;
      } else if (token.kind === 'tag-directive') {
        if (this.#prefixes.has(token.handle)) fail('found duplicate %TAG directive', token);
        this.#prefixes.set(token.handle, token.prefix);
      } else return found;
      found = true;
    }
  }

  #prefix(handle: string, prefix: string): void {
    if (!this.#prefixes.has(handle)) this.#prefixes.set(handle, prefix);
  }

  #node(place: Place): YamlNode {
    const first = this.tokens.peek();
    if (first.kind === 'alias') return this.#alias(first);
    const properties = this.#properties(first);
    const token = this.tokens.peek();
    if (token.kind === 'scalar') {
      this.tokens.skip();
      return this.#scalar(properties, token.value, token.isPlain);
    }
    const collection = this.#collection(place, token, properties);
    if (collection !== undefined) return collection;
    if (properties.anchor === undefined && properties.tag === '') fail('did not find expected node content', token);
    return this.#scalar(properties, '', properties.tag === '');
  }

  #collection(place: Place, { kind }: YamlToken, properties: Properties): YamlNode | undefined {
    if (kind === 'flow-sequence-start') return this.#sequence(properties, (node) => this.#flowSequence(node));
    if (kind === 'flow-mapping-start') return this.#mapping(properties, (node) => this.#flowMapping(node));
    if (place.isIndentless && kind === 'block-entry') {
      return this.#sequence(properties, (node) => this.#indentless(node));
    }
    if (!place.isBlock) return undefined;
    if (kind === 'block-sequence-start') return this.#sequence(properties, (node) => this.#blockSequence(node));
    if (kind === 'block-mapping-start') return this.#mapping(properties, (node) => this.#blockMapping(node));
    return undefined;
  }

  #alias({ mark, name }: Readonly<{ mark: Mark; name: string }>): AliasNode {
    const target = this.#anchors.get(name);
    if (target === undefined) throw new YamlError(`unknown anchor '${name}' referenced`, mark.line);
    this.tokens.skip();
    return { kind: 'alias', line: mark.line, name, target };
  }

  /** Reads an anchor and a tag, in any order. */
  #properties({ mark }: Readonly<{ mark: Mark }>): Properties {
    const before = this.#anchor();
    const token = this.tokens.peek();
    if (token.kind !== 'tag') return { mark, tag: '', anchor: before };
    this.tokens.skip();
    const anchor = before ?? this.#anchor();
    const prefix = token.handle === '' ? '' : this.#prefixes.get(token.handle);
    if (prefix === undefined || prefix + token.suffix === '') fail('found undefined tag handle', token);
    return { mark, tag: prefix + token.suffix, anchor };
  }

  #anchor(): string | undefined {
    const token = this.tokens.peek();
    if (token.kind !== 'anchor') return undefined;
    this.tokens.skip();
    return token.name;
  }

  #scalar({ mark, tag, anchor }: Properties, value: string, isPlain: boolean): ScalarNode {
    const isImplicit = tag === '!' || (tag === '' && isPlain);
    const node: ScalarNode = { kind: 'scalar', line: mark.line, tag, value, isImplicit };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  #sequence({ mark: { line }, anchor }: Properties, fill: (node: SequenceNode) => void): SequenceNode {
    return this.#filled({ kind: 'sequence', line, items: [] }, anchor, fill);
  }

  #mapping({ mark: { line }, anchor }: Properties, fill: (node: MappingNode) => void): MappingNode {
    return this.#filled({ kind: 'mapping', line, pairs: [] }, anchor, fill);
  }

  /** Fills a collection. Its anchor is already known while its content is read. */
  #filled<T extends SequenceNode | MappingNode>(node: T, anchor: string | undefined, fill: (node: T) => void): T {
    if (this.#depth === this.maxDepth) throw new YamlError(`nesting exceeds ${this.maxDepth} levels`, node.line);
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    this.#depth += 1;
    fill(node);
    this.#depth -= 1;
    return node;
  }

  #blockSequence({ items }: SequenceNode): void {
    for (let token = this.tokens.next(); token.kind !== 'block-end'; token = this.tokens.peek()) {
      if (token.kind !== 'block-entry') fail("did not find expected '-' indicator", token);
      items.push(this.#nodeUnless(NO_ITEM, BLOCK));
    }
    this.tokens.skip();
  }

  #indentless({ items }: SequenceNode): void {
    while (this.tokens.peek().kind === 'block-entry') items.push(this.#nodeUnless(NO_INDENTLESS_ITEM, BLOCK));
  }

  /** Skips a token and reads the next node. The node is empty if a token of `none` follows. */
  #nodeUnless(none: ReadonlySet<TokenKind>, place: Place): YamlNode {
    const token = this.tokens.next();
    return none.has(token.kind) ? empty(token) : this.#node(place);
  }

  #blockMapping({ pairs }: MappingNode): void {
    for (let token = this.tokens.next(); token.kind !== 'block-end'; token = this.tokens.peek()) {
      if (token.kind !== 'key') fail('did not find expected key', token);
      const key = this.#nodeUnless(NO_MEMBER, MEMBER);
      const colon = this.tokens.peek();
      pairs.push([key, colon.kind === 'value' ? this.#nodeUnless(NO_MEMBER, MEMBER) : empty(colon)]);
    }
    this.tokens.skip();
  }

  #flowMapping({ pairs }: MappingNode): void {
    let token = this.tokens.next();
    while (token.kind !== 'flow-mapping-end') {
      pairs.push(this.#flowMember(token));
      token = this.tokens.peek();
      if (token.kind === 'flow-mapping-end') break;
      if (token.kind !== 'flow-entry') fail("did not find expected ',' or '}'", token);
      token = this.tokens.next();
    }
    this.tokens.skip();
  }

  #flowMember(token: YamlToken): readonly [YamlNode, YamlNode] {
    if (token.kind !== 'key') return [this.#node(FLOW), empty(this.tokens.peek())];
    const key = this.#nodeUnless(NO_FLOW_KEY, FLOW);
    const colon = this.tokens.peek();
    return [key, colon.kind === 'value' ? this.#nodeUnless(NO_FLOW_VALUE, FLOW) : empty(colon)];
  }

  #flowSequence({ items }: SequenceNode): void {
    let token = this.tokens.next();
    while (token.kind !== 'flow-sequence-end') {
      items.push(token.kind === 'key' ? this.#pair(token) : this.#node(FLOW));
      token = this.tokens.peek();
      if (token.kind === 'flow-sequence-end') break;
      if (token.kind !== 'flow-entry') fail("did not find expected ',' or ']'", token);
      token = this.tokens.next();
    }
    this.tokens.skip();
  }

  /** Reads a mapping of one member without braces, as an item of a flow sequence. */
  #pair({ mark: { line } }: YamlToken): MappingNode {
    const token = this.tokens.next();
    let key: YamlNode;
    if (NO_PAIR_KEY.has(token.kind)) {
      // As in libyaml: the token that shows that there is no key is dropped.
      this.tokens.skip();
      key = empty(token);
    } else key = this.#node(FLOW);
    const colon = this.tokens.peek();
    const value = colon.kind === 'value' ? this.#nodeUnless(NO_PAIR_VALUE, FLOW) : empty(colon);
    return { kind: 'mapping', line, pairs: [[key, value]] };
  }
}

const empty = ({ mark: { line } }: YamlToken): ScalarNode => ({
  kind: 'scalar',
  line,
  tag: '',
  value: '',
  isImplicit: true,
});

function fail(reason: string, { mark: { line } }: YamlToken): never {
  throw new YamlError(reason, line);
}
