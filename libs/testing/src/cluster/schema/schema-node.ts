import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../objects/json.js';

const RULES = 'x-kubernetes-validations';

/** One place of a structural schema, read once; the places below are read when first needed. */
export class SchemaNode {
  readonly type: string;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly keepsUnknown: boolean;
  readonly embedded: boolean;
  readonly required: readonly string[];
  readonly enum: readonly unknown[];
  readonly pattern: RegExp | undefined;
  readonly format: string | undefined;
  readonly listType: string;
  readonly mapType: string;
  readonly listKeys: readonly string[];
  /** The entries of `x-kubernetes-validations`. */
  readonly rules: readonly JsonObject[];
  readonly #properties = new Map<string, SchemaNode>();
  #items: SchemaNode | undefined;
  #additional: SchemaNode | undefined;
  #defaultsBelow: boolean | undefined;
  #rulesBelow: boolean | undefined;

  constructor(readonly raw: JsonObject) {
    this.type = stringAt(raw, 'type') ?? '';
    this.nullable = raw.nullable === true;
    this.intOrString = raw['x-kubernetes-int-or-string'] === true;
    this.keepsUnknown = raw['x-kubernetes-preserve-unknown-fields'] === true;
    this.embedded = raw['x-kubernetes-embedded-resource'] === true;
    this.required = arrayAt(raw, 'required').map(String);
    this.enum = arrayAt(raw, 'enum');
    this.pattern = compiledPattern(stringAt(raw, 'pattern'));
    this.format = stringAt(raw, 'format');
    this.listType = stringAt(raw, 'x-kubernetes-list-type') ?? 'atomic';
    this.mapType = stringAt(raw, 'x-kubernetes-map-type') ?? 'granular';
    this.listKeys = arrayAt(raw, 'x-kubernetes-list-map-keys').map(String);
    this.rules = arrayAt(raw, RULES).filter(isObject);
  }

  limit(name: string): number | undefined {
    return numberAt(this.raw, name);
  }

  flag(name: string): boolean {
    return this.raw[name] === true;
  }

  get hasDefault(): boolean {
    return this.raw.default !== undefined;
  }

  get propertyNames(): readonly string[] {
    return Object.keys(objectAt(this.raw, 'properties') ?? {});
  }

  /** Returns the schema of a named property, or undefined if the schema names none. */
  property(name: string): SchemaNode | undefined {
    const known = this.#properties.get(name);
    if (known !== undefined) return known;
    const properties = objectAt(this.raw, 'properties');
    const raw = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject(raw)) return undefined;
    const made = new SchemaNode(raw);
    this.#properties.set(name, made);
    return made;
  }

  get items(): SchemaNode | undefined {
    const raw = this.raw.items;
    if (this.#items === undefined && isObject(raw)) this.#items = new SchemaNode(raw);
    return this.#items;
  }

  /** The schema of properties that are not named; `true` allows anything. */
  get additional(): SchemaNode | true | undefined {
    const raw = this.raw.additionalProperties;
    if (raw === true) return true;
    if (this.#additional === undefined && isObject(raw)) this.#additional = new SchemaNode(raw);
    return this.#additional;
  }

  alternatives(kind: 'allOf' | 'anyOf' | 'oneOf'): readonly SchemaNode[] {
    return arrayAt(this.raw, kind)
      .filter(isObject)
      .map((raw) => new SchemaNode(raw));
  }

  negated(): SchemaNode {
    return new SchemaNode(objectAt(this.raw, 'not') ?? {});
  }

  /** True if a default is set anywhere below: most schemas have none, and walking for them costs time. */
  get defaultsBelow(): boolean {
    this.#defaultsBelow ??= JSON.stringify(this.raw).includes('"default":');
    return this.#defaultsBelow;
  }

  /** True if this place or any place below has a rule. */
  get rulesBelow(): boolean {
    this.#rulesBelow ??= JSON.stringify(this.raw).includes(`"${RULES}":`);
    return this.#rulesBelow;
  }
}

/**
 * Compiles a pattern. Kubernetes' patterns are Go's; patterns that JavaScript cannot read are not checked.
 */
function compiledPattern(pattern: string | undefined): RegExp | undefined {
  if (pattern === undefined) return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}
