/** A signer that can admit content. `key` and `root` are ids of key material. */
export type Authority =
  /** A public key, as `cosign sign --key` uses its private half. */
  | Readonly<{ kind: 'key'; key: string }>
  /** A short-lived certificate of Fulcio that names an identity. `*` in `identity` stands for any text. */
  | Readonly<{ kind: 'keyless'; issuer: string; identity: string; root: string }>
  /**
   * A certificate below an authority of one's own, as `notation sign` uses it. `subject`: attributes that it
   * must have.
   */
  | Readonly<{ kind: 'certificate'; root: string; subject?: readonly string[] }>;

/** Demands of the policy on the images of one scope. */
export type SignatureRule = Readonly<{
  /** `*`, `*.DOMAIN`, or `HOST[:PORT][/PATH]`. */
  scope: string;
  /**
   * Accepted signers; one of them must have signed. Empty if the rule has a `problem` or admits unsigned
   * content.
   */
  accepts: readonly Authority[];
  /** The rule takes its scope out of a wider one. */
  admitsUnsigned?: true;
  /** The rule cannot be used: nothing of its scope is admitted. */
  problem?: PolicyProblem;
}>;

export type SignaturePolicy = Readonly<{
  rules: readonly SignatureRule[];
  /** A part of the policy cannot be read, and may concern any image: none is admitted. */
  problem?: PolicyProblem;
}>;

/** `text` is for the operator of the hub: it names files there. `place`: of the rule, as `rules[1]`. */
export type PolicyProblem = Readonly<{ text: string; place?: string }>;

/** The parts of an image reference that a scope names. */
export type ImageName = Readonly<{ host: string; repository: string }>;

/** Names of one registry: Docker Hub answers to each of them. */
const DOCKER_HUB: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);
const DEFAULT_PORT = /:(?:80|443)$/;

/**
 * Returns the one spelling of a registry's host: lower case, addresses in their usual form, without the
 * default port. The author of an image reference must not escape a scope by another spelling.
 */
function plainHost(host: string): string {
  const text = host.toLowerCase();
  const url = `https://${text}`;
  const written = URL.canParse(url) ? new URL(url).host : text;
  const plain = written.replace(DEFAULT_PORT, '');
  return DOCKER_HUB.has(plain) ? 'docker.io' : plain;
}

/**
 * Returns the rule for an image: that of the longest scope. A host by its name goes before all hosts of a
 * domain, and both before `*`. Undefined if no rule concerns the image.
 */
export function ruleFor({ rules }: SignaturePolicy, image: ImageName): SignatureRule | undefined {
  const host = plainHost(image.host);
  const name = `${host}/${image.repository}`;
  let best: Readonly<{ rule: SignatureRule; rank: number }> | undefined;
  for (const rule of rules) {
    const rank = rankOf(rule.scope, host, name);
    if (rank > (best?.rank ?? 0)) best = { rule, rank };
  }
  return best?.rule;
}

/** Longer than any scope: a name outranks each domain. */
const NAMED = 10_000;

/** 0 if the scope does not concern the name. */
function rankOf(scope: string, host: string, name: string): number {
  if (scope === '*') return 1;
  if (scope.startsWith('*.')) return host.replace(/:\d+$/, '').endsWith(scope.slice(1)) ? scope.length : 0;
  return name === scope || name.startsWith(`${scope}/`) ? NAMED + scope.length : 0;
}

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?`;
const SCOPE = new RegExp(`^(${HOST})(/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$`);
const DOMAIN = /^\*(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/;
const LONGEST_SCOPE = 512;

/** Returns a scope in the spelling that {@link ruleFor} compares; undefined if the text is none. */
export function scopeOf(text: string): string | undefined {
  if (text.length > LONGEST_SCOPE) return undefined;
  if (text === '*') return text;
  if (DOMAIN.test(text)) return text.toLowerCase();
  const [, host] = SCOPE.exec(text) ?? [];
  return host === undefined ? undefined : `${plainHost(host)}${text.slice(host.length)}`;
}
