import { isIP } from 'node:net';
import { Environment, Optional } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';

/**
 * Characters of a pattern: it is matched in linear time, but each character of a text costs
 * a step for each of these.
 */
const MAX_PATTERN_LENGTH = 2_000;
const KEPT_PATTERNS = 256;
const patterns = new Map<string, RE2JS>();

function compiled(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error('regular expression is too long');
  const made = RE2JS.compile(pattern);
  if (patterns.size >= KEPT_PATTERNS) patterns.clear();
  patterns.set(pattern, made);
  return made;
}

function found(text: string, pattern: string): string[] {
  const matcher = compiled(pattern).matcher(text);
  const all: string[] = [];
  while (matcher.find()) all.push(matcher.group() ?? '');
  return all;
}

/** A URL as Kubernetes' CEL library takes it: absolute, or a path alone. */
class KubernetesUrl {
  constructor(readonly url: URL) {}
}

function parsedUrl(text: string): URL | undefined {
  if (text.startsWith('/')) return new URL(text, 'path:///');
  return URL.canParse(text) ? new URL(text) : undefined;
}

function urlOf(text: string): KubernetesUrl {
  const url = parsedUrl(text);
  if (url === undefined) throw new Error(`URL parse error during conversion from string: ${text}`);
  return new KubernetesUrl(url);
}

/** A named format that a text has or does not have. */
class NamedFormat {
  constructor(
    readonly pattern: RegExp,
    readonly longest: number,
  ) {}
}
class FormatNames {}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const FORMATS: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: new NamedFormat(new RegExp(`^${LABEL}$`), 63),
  dns1123Subdomain: new NamedFormat(new RegExp(`^${LABEL}(\\.${LABEL})*$`), 253),
  dns1035Label: new NamedFormat(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63),
  labelValue: new NamedFormat(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, 63),
  uuid: new NamedFormat(/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i, 36),
};

/** `matches` under a name of its own: the evaluator's backtracks and cannot be replaced. */
export const LINEAR_MATCHES = 'matches_re2';
const matches = (text: string, pattern: string): boolean => compiled(pattern).matcher(text).find();

/** Creates CEL with Kubernetes' additions for rules of CRDs; `self` and `oldSelf` are of any type. */
export const ruleEnvironment = (): Environment => {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 2_000, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 },
  })
    .registerType('KubernetesUrl', { ctor: KubernetesUrl, fields: {} })
    .registerType('NamedFormat', { ctor: NamedFormat, fields: {} })
    .registerType('FormatNames', { ctor: FormatNames, fields: {} })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn')
    .registerConstant('format', 'FormatNames', new FormatNames())
    .registerFunction(`string.${LINEAR_MATCHES}(string): bool`, matches)
    .registerFunction(`${LINEAR_MATCHES}(string, string): bool`, matches)
    .registerFunction('string.find(string): string', (text: string, pattern: string) => found(text, pattern)[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', found)
    .registerFunction('isURL(string): bool', (text: string) => parsedUrl(text) !== undefined)
    .registerFunction('url(string): KubernetesUrl', urlOf)
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('NamedFormat.validate(string): optional', (format: NamedFormat, text: string) =>
      format.pattern.test(text) && text.length <= format.longest ? Optional.none() : Optional.of(['does not match']),
    );
  const parts: Readonly<Record<string, (url: URL) => string>> = {
    getScheme: ({ protocol }) => (protocol === 'path:' ? '' : protocol.slice(0, -1)),
    getHost: ({ host }) => host,
    getHostname: ({ hostname }) => hostname.replace(/^\[|\]$/g, ''),
    getPort: ({ port }) => port,
    getEscapedPath: ({ pathname }) => pathname,
  };
  for (const [name, part] of Object.entries(parts)) {
    environment.registerFunction(`KubernetesUrl.${name}(): string`, ({ url }: KubernetesUrl) => part(url));
  }
  for (const [name, format] of Object.entries(FORMATS)) {
    environment.registerFunction(`FormatNames.${name}(): NamedFormat`, () => format);
  }
  return environment;
};
