import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import {
  type Authority,
  type PolicyProblem,
  type SignaturePolicy,
  type SignatureRule,
  scopeOf,
} from '#core/kernel/signatures/signature-policy';
import { fileError } from '../../files/file-tree.error.js';
import {
  materialId,
  readAuthorities,
  readPublicKey,
  type SignatureMaterials,
  subjectOf,
  UnusableMaterial,
} from './signature-materials.js';
import { checkTrustRoot } from './trust-root.js';

const MAX_FILE_BYTES = 1024 * 1024;
const MOST_RULES = 1_000;
const MOST_SIGNERS = 20;

const Material = z.union([z.strictObject({ file: z.string().min(1) }), z.strictObject({ data: z.string().min(1) })]);
type Material = z.infer<typeof Material>;
const Keyless = z.strictObject({ issuer: z.string().min(1), identity: z.string().min(1), trustRoot: Material });
const Notation = z.strictObject({ certificates: Material, subject: z.string().min(1).optional() });
const Signer = z.union([
  z.strictObject({ key: Material }),
  z.strictObject({ keyless: Keyless }),
  z.strictObject({ notation: Notation }),
]);
type Signer = z.infer<typeof Signer>;
const Rule = z.union([
  z.strictObject({ scope: z.string(), accept: z.array(Signer).min(1).max(MOST_SIGNERS) }),
  z.strictObject({ scope: z.string(), admitUnsigned: z.literal(true) }),
]);
const Scoped = z.looseObject({ scope: z.string() });
const Document = z.strictObject({ rules: z.array(z.unknown()).max(MOST_RULES) });

const RULE_FORM = 'expected scope, and either accept (a list of key, keyless or notation) or admitUnsigned: true';

/**
 * A policy and the material to verify with. If a part cannot be read, all images that it may concern are
 * refused.
 */
export type ReadPolicy = Readonly<{ policy: SignaturePolicy; materials: SignatureMaterials }>;

/**
 * Reads a signature policy. It never fails: a rule that cannot be used refuses its scope, a file or a rule
 * without a valid scope refuses every image.
 */
export async function readSignaturePolicy(file: string): Promise<ReadPolicy> {
  return new PolicyReader(file).read();
}

/** A rule with an unknown scope. */
class UnusableRule extends UnusableMaterial {
  constructor(
    readonly place: string,
    message: string,
  ) {
    super(message);
  }
}

const problemOf = (error: UnusableMaterial): PolicyProblem => ({
  text: error.message,
  ...(error instanceof UnusableRule && { place: error.place }),
});

class PolicyReader {
  readonly #materials = {
    keys: new Map<string, ReturnType<typeof readPublicKey>>(),
    sigstoreRoots: new Map<string, unknown>(),
    authorities: new Map<string, ReturnType<typeof readAuthorities>>(),
  };

  constructor(private readonly file: string) {}

  async read(): Promise<ReadPolicy> {
    try {
      return { policy: await this.#policy(await textOf(this.file)), materials: this.#materials };
    } catch (error) {
      if (!(error instanceof UnusableMaterial)) throw error;
      return { policy: { rules: [], problem: problemOf(error) }, materials: this.#materials };
    }
  }

  async #policy(text: string): Promise<SignaturePolicy> {
    const rules = new Map<string, SignatureRule>();
    for (const [at, value] of rulesIn(text, this.file).entries()) {
      const place = `rules[${at}]`;
      const scoped = Scoped.safeParse(value);
      const scope = scoped.success ? scopeOf(scoped.data.scope) : undefined;
      if (scope === undefined) {
        throw new UnusableRule(place, `${this.file}: ${place}: scope must be *, *.DOMAIN or HOST[:PORT][/PATH]`);
      }
      const rule = await this.#rule(scope, value, place);
      const problem = this.#problem(place, `a second rule for ${scope}`);
      rules.set(scope, rules.has(scope) ? { scope, accepts: [], problem } : rule);
    }
    return { rules: [...rules.values()] };
  }

  #problem(place: string, because: string): PolicyProblem {
    return { text: `${this.file}: ${place}: ${because}`, place };
  }

  async #rule(scope: string, value: unknown, place: string): Promise<SignatureRule> {
    const parsed = Rule.safeParse(value);
    if (!parsed.success) return { scope, accepts: [], problem: this.#problem(place, RULE_FORM) };
    if ('admitUnsigned' in parsed.data) return { scope, accepts: [], admitsUnsigned: true };
    try {
      const accepts: Authority[] = [];
      for (const signer of parsed.data.accept) accepts.push(await this.#authority(signer));
      return { scope, accepts };
    } catch (error) {
      if (!(error instanceof UnusableMaterial)) throw error;
      return { scope, accepts: [], problem: this.#problem(place, error.message) };
    }
  }

  async #authority(signer: Signer): Promise<Authority> {
    if ('key' in signer) {
      const key = await this.#material(signer.key, readPublicKey);
      const id = materialId(key.export({ type: 'spki', format: 'der' }));
      this.#materials.keys.set(id, key);
      return { kind: 'key', key: id };
    }
    if ('keyless' in signer) {
      const { issuer, identity, trustRoot } = signer.keyless;
      const root = await this.#material(trustRoot, checkTrustRoot);
      const id = materialId(JSON.stringify(root));
      this.#materials.sigstoreRoots.set(id, root);
      return { kind: 'keyless', issuer, identity, root: id };
    }
    const { certificates, subject } = signer.notation;
    const authorities = await this.#material(certificates, readAuthorities);
    const id = materialId(Buffer.concat(authorities.map(({ raw }) => raw)));
    this.#materials.authorities.set(id, authorities);
    return { kind: 'certificate', root: id, ...(subject !== undefined && { subject: subjectOf(subject) }) };
  }

  async #material<T>(material: Material, read: (text: string) => T): Promise<T> {
    if ('data' in material) return told('data', () => read(material.data));
    const path = resolve(dirname(this.file), material.file);
    const text = await textOf(path);
    return told(path, () => read(text));
  }
}

function told<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableMaterial) throw new UnusableMaterial(`${place} ${error.message}`);
    throw error;
  }
}

function rulesIn(text: string, file: string): readonly unknown[] {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new UnusableMaterial(`${file} is not YAML: ${error.message.split('\n')[0]}`);
  const parsed = Document.safeParse(documentIn(document, file));
  if (parsed.success) return parsed.data.rules;
  throw new UnusableMaterial(`${file}: expected rules, a list of at most ${MOST_RULES}, and nothing else`);
}

/** Returns the document. The parser bounds aliases, and throws. */
function documentIn(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UnusableMaterial(`${file} is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new UnusableMaterial(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof UnusableMaterial) throw error;
    throw new UnusableMaterial(fileError('open', path, error).message);
  }
}
