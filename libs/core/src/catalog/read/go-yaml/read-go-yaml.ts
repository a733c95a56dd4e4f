import { YamlError } from './yaml.error.js';
import type { AliasNode, MappingNode, ScalarNode, YamlNode } from './yaml-node.js';
import { parseFirstDocument } from './yaml-parser.js';
import { keyText, MERGE_TAG, scalarOf, type YamlScalar } from './yaml-scalar.js';

type YamlOptions = Readonly<{
  /** A key that is given twice is an error, as in Go's UnmarshalStrict. */
  uniqueKeys?: boolean;
  /** Deepest nesting of collections, aliases followed. */
  maxDepth: number;
}>;

/**
 * Reads the first document of a YAML text as JSON holds it, as sigs.k8s.io/yaml converts it. Returns null for
 * a text without a document. The text after the document is read up to the next token. Throws YamlError.
 */
export function readGoYaml(text: string, options: YamlOptions): unknown {
  if (NOT_YAML.test(text) || !text.isWellFormed()) throw new YamlError('control characters are not allowed');
  const root = parseFirstDocument(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, options.maxDepth);
  if (root === undefined) return null;
  const decoder = new Decoder(options);
  const value = decoder.value(root);
  if (decoder.hasUnsupported) refuseUnsupported(value);
  return value;
}

const BYTE_ORDER_MARK = '\ufeff';
/** Characters that must not be in YAML, not even in quotes. */
const NOT_YAML = /[^\t\n\r\x20-\x7e\u0085\u00a0-\ufffd]/;

/** A value that JSON does not have. It is an error unless a later member has taken its place. */
class Unsupported {
  constructor(
    readonly reason: string,
    readonly line: number,
  ) {}
}

function refuseUnsupported(value: unknown): void {
  if (value instanceof Unsupported) throw new YamlError(value.reason, value.line);
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) refuseUnsupported(inner);
}

type Members = Record<string, unknown>;

/** Go's bounds of the share of decoded nodes that may come from aliases. */
const FREE_ALIASES = 100;
const FREE_NODES = 1000;
const LOW = { nodes: 400_000, share: 0.99 };
const HIGH = { nodes: 4_000_000, share: 0.1 };

class Decoder {
  hasUnsupported = false;
  #nodes = 1;
  #fromAliases = 0;
  #aliasDepth = 0;
  #depth = 0;
  /** Aliases with a target that is being decoded. */
  readonly #followed = new Set<AliasNode>();

  constructor(private readonly options: YamlOptions) {}

  value(node: YamlNode): unknown {
    this.#count(node);
    switch (node.kind) {
      case 'scalar':
        return this.#json(scalarOf(node), node);
      case 'alias':
        return this.#follow(node, (target) => this.value(target));
      case 'sequence':
        return this.#nested(node, () => node.items.map((item) => this.value(item)));
      case 'mapping': {
        const members: Members = {};
        this.#fill(members, new Set(), node);
        return members;
      }
    }
  }

  #count({ line }: YamlNode): void {
    this.#nodes += 1;
    if (this.#aliasDepth > 0) this.#fromAliases += 1;
    if (this.#fromAliases <= FREE_ALIASES || this.#nodes <= FREE_NODES) return;
    if (this.#fromAliases / this.#nodes > allowedShare(this.#nodes)) {
      throw new YamlError('document contains excessive aliasing', line);
    }
  }

  #follow<T>(alias: AliasNode, read: (target: YamlNode) => T): T {
    if (this.#followed.has(alias)) throw new YamlError(`anchor '${alias.name}' value contains itself`, alias.line);
    this.#followed.add(alias);
    this.#aliasDepth += 1;
    const result = read(alias.target);
    this.#aliasDepth -= 1;
    this.#followed.delete(alias);
    return result;
  }

  #nested<T>({ line }: YamlNode, read: () => T): T {
    if (this.#depth === this.options.maxDepth) {
      throw new YamlError(`nesting exceeds ${this.options.maxDepth} levels`, line);
    }
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  /** Adds the members of a mapping in their order. `keys` has the keys so far. */
  #fill(members: Members, keys: Set<string>, node: MappingNode): void {
    this.#nested(node, () => {
      for (const [key, value] of node.pairs) {
        if (isMerge(key)) this.#merge(members, keys, value);
        else this.#member(members, keys, key, value);
      }
    });
  }

  #member(members: Members, keys: Set<string>, keyNode: YamlNode, valueNode: YamlNode): void {
    const key = this.#key(keyNode);
    const value = this.value(valueNode);
    const text = keyText(key);
    const name = text ?? `\0${describe(key)}`;
    if (this.options.uniqueKeys) {
      const identity = `${typeof key === 'object' ? key?.type : typeof key} ${name}`;
      if (keys.has(identity)) throw new YamlError(`key ${JSON.stringify(name)} already set in map`, valueNode.line);
      keys.add(identity);
    }
    setMember(
      members,
      name,
      text === undefined ? this.#unsupported(`unsupported map key ${describe(key)}`, keyNode) : value,
    );
  }

  #unsupported(reason: string, { line }: YamlNode): Unsupported {
    this.hasUnsupported = true;
    return new Unsupported(reason, line);
  }

  #json(value: YamlScalar, node: ScalarNode): unknown {
    if (value === null || typeof value !== 'object') return value;
    const number = Number(value.value);
    return Number.isFinite(number) ? number : this.#unsupported(`json: unsupported value: ${node.value}`, node);
  }

  #key(node: YamlNode): YamlScalar {
    this.#count(node);
    if (node.kind === 'scalar') return scalarOf(node);
    if (node.kind === 'alias') return this.#follow(node, (target) => this.#key(target));
    throw new YamlError(`unsupported map key: a ${node.kind}`, node.line);
  }

  /**
   * Merges members. A merged member replaces those before it, not those after it; of several mappings the
   * first one counts.
   */
  #merge(members: Members, keys: Set<string>, node: YamlNode): void {
    const sources = node.kind === 'sequence' ? node.items.toReversed() : [node];
    for (const source of sources) {
      const target = source.kind === 'alias' ? source.target : source;
      if (target.kind !== 'mapping') {
        throw new YamlError('map merge requires map or sequence of maps as the value', source.line);
      }
      this.#count(source);
      if (source.kind !== 'alias') this.#fill(members, keys, target);
      else {
        this.#follow(source, () => {
          this.#count(target);
          this.#fill(members, keys, target);
        });
      }
    }
  }
}

const isMerge = (key: YamlNode): key is ScalarNode =>
  key.kind === 'scalar' && key.value === '<<' && (key.isImplicit || key.tag === MERGE_TAG);

function allowedShare(nodes: number): number {
  const part = (nodes - LOW.nodes) / (HIGH.nodes - LOW.nodes);
  return LOW.share + (HIGH.share - LOW.share) * Math.min(Math.max(part, 0), 1);
}

const describe = (key: YamlScalar): string =>
  typeof key === 'object' && key !== null ? `${key.value} of type ${key.type}` : String(key);

/**
 * Sets a member. An assignment to `__proto__` would change the object's prototype instead of adding a member.
 */
function setMember(members: Members, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}
