import { isAboutSecret, isSecretName, isSecretText, isSecretVariable, mayHoldSecret } from './secret-names.js';

/** Text in place of a hidden value. */
export const HIDDEN = '••••';

/** Every pattern begins at a border and is bounded, so that a text takes linear time. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----(?:(?!-----END)[\s\S])*(?:-----END[A-Z0-9 ]*-----)?/g;
/** The same in base64: `-----BEGIN`, and one of its kinds. */
const PACKED_KEY =
  /LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFURS|BFQyBQUklWQVRF|BPUEVOU1NI|BFTkNSWVBURU|BEU0EgUFJJVkFURS|BQR1AgUFJJVkFURS)[\w+/=\s]*/g;
const TOKENS = [
  // JWT, signed or encrypted.
  /(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){2,4}/g,
  /(?<![\w-])(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|xox[abeprs]-[\w-]{10,}|npm_\w{30,})/g,
  /(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16}(?!\w)|AIza[\w-]{30,}|ya29\.[\w-]{10,}|sk[-_](?:live_|test_|proj-|ant-)?[\w-]{20,})/g,
  /(?<![\w-])(?:sha256~[\w-]{20,}|hv[sbr]\.[\w-]{20,}|dckr_pat_[\w-]{20,}|hf_\w{20,})/g,
  /(?<![\w$])\$(?:apr1|2[abxy]|5|6|y|argon2\w{0,2})\$[\w./$=,+-]{8,}/g,
];
const SCHEME = /(?<=\b(?:bearer|basic)\s{1,3})(?=\S*[\d=+/_-]|\S{16})[\w+/=.~-]{6,}/gi;
/** Up to the last `@` before the path; a digest has one, too. */
const USER_OF_URL = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'<>]{1,500}@(?!sha\d{3}:)/gi;
/** Passwords that would have to be written otherwise in an address: with a slash, or the like. */
const LOOSE_USER =
  /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@:"'<>]{0,200}:(?!\d{1,5}\/)[^\s@"'<>]{1,300}@(?!sha\d{3}:)/gi;
/** `user:password@tcp(host)/name`, `user:password@host:5432`. */
const DSN = /(?<![\w.%+:/-])[\w.%+-]{1,100}:[^\s@/'":,()]{1,200}@(?=(?:tcp|udp|unix)\(|[\w.-]{1,200}:\d{2,5}(?!\w))/g;
const LOGIN = /(?<=\blogin\s{1,5}\S{1,200}\s{1,5}password\s{1,5})\S+/g;
const BASIC_FLAG = /(?<=(?:^|\s)(?:-u\s{0,3}|--user(?:=|\s{1,3}))["']?[^\s:"']{1,200}:)[^\s"']+/g;
const XML = /<([A-Za-z][\w.:-]{0,80})>([^<>]{1,2000})(?=<\/)/g;

/** A text in quotes, also in escaped ones, or up to a blank if the quotes do not end. */
const QUOTED = `"(?:\\\\.|[^"\\\\]){0,20000}"|'[^'\\n]{0,20000}'|\\\\"[^"]{0,20000}"|["'][^\\s"']+`;
const FLAG = new RegExp(`(?<![\\w-])(--?)([A-Za-z][\\w.-]{1,80})(=|[ \\t]{1,4}(?!-))(${QUOTED}|[^\\s"']+)`, 'g');
const ASSIGNED = /(?<![\w.-])(\\?["']?)[A-Za-z_.][\w./-]{0,120}\1[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}/g;
const ASSIGNED_NAME = /[A-Za-z_.][\w./-]*/;
const ASSIGNED_VALUE = new RegExp(`(?:${QUOTED}|[^\\s,;&"'<>(){}[\\]]+)`, 'y');
/** A line of a file: `  key: the rest is its value`, `- key = value`. */
const LINE = /^([ \t]*(?:- )?)(["']?)([A-Za-z_.][\w./-]{0,120})\2([ \t]*[:=][ \t]*)(.*)$/;

const unquoted = (text: string): string => text.replaceAll(/^\\?["']|\\?["']$/g, '');
const hidden = (value: string): string => {
  const [quote = ''] = /^\\?["']/.exec(value) ?? [];
  return `${quote}${HIDDEN}${quote}`;
};

const isHiddenAlready = (value: string): boolean => unquoted(value) === HIDDEN;
/** A path, an address or a variable of another place says nothing itself. */
const IS_REFERENCE = /^(?:\$[({]?\w+[)}]?|\{\{.*|<[\w -]+>|true|false|null|~|[|>][+-]?\d?)$/;

/** Hides secrets in assignments. A value that is no secret may be the next name: `said: password: abc`. */
function assignmentsWithoutSecrets(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: start, index } of text.matchAll(ASSIGNED)) {
    if (index < done) continue;
    const at = index + start.length;
    const [name = ''] = ASSIGNED_NAME.exec(start) ?? [];
    if (!mayHoldSecret(name)) continue;
    ASSIGNED_VALUE.lastIndex = at;
    const [value = ''] = ASSIGNED_VALUE.exec(text) ?? [];
    const bare = unquoted(value);
    if (isHiddenAlready(value) || IS_REFERENCE.test(bare) || !isSecretText(name, bare)) continue;
    parts.push(text.slice(done, at), hidden(value));
    done = at + value.length;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}

function flagged(whole: string, dashes: string, name: string, between: string, value: string): string {
  if (isHiddenAlready(value) || IS_REFERENCE.test(unquoted(value)) || !isSecretVariable(name)) return whole;
  // `-token abc` in prose is no flag; `-p` is too short to know.
  if (dashes === '-' && between !== '=') return whole;
  return `${dashes}${name}${between}${hidden(value)}`;
}

/** Hides the secret in a line below its key. */
function lineBelow(line: string): string {
  const [, start = '', quote = '', name = '', between = '', value = ''] = LINE.exec(line) ?? [];
  if (name !== '')
    return value === '' || isAboutSecret(name) ? line : `${start}${quote}${name}${quote}${between}${HIDDEN}`;
  return line.replace(/^([ \t]*(?:- )?)\S.*$/, `$1${HIDDEN}`);
}

/**
 * Reads a line of a file: its key, the key's indentation, and the place of a secret: on this line, or on
 * those below (`opens`).
 */
function lineOf(line: string) {
  const [, start = '', quote = '', name = '', between = '', value = ''] = LINE.exec(line) ?? [];
  const rest = value.trim();
  const opens = name !== '' && isSecretName(name) && (rest === '' || /^[|>][+-]?\d?$/.test(rest));
  // One line of JSON, or of a list, is cut value by value.
  const isWhole = rest !== '' && !/^[{["']|[,;]$/.test(rest) && !IS_REFERENCE.test(rest);
  const isSecret = name !== '' && isWhole && isSecretText(name, rest);
  return {
    key: `${start}${quote}${name}${quote}${between}`,
    indent: start.replace('- ', '  ').length,
    opens,
    isSecret,
  };
}

/** Files within a text: values that go to the end of their line, and those on the lines below. */
function linesWithoutSecrets(text: string): string {
  /** The indentation of a key with a value on the lines below. */
  let below: number | undefined;
  const isBelow = (line: string, above: number): boolean => {
    const indent = line.length - line.trimStart().length;
    return indent > above || (indent === above && line.slice(indent).startsWith('- '));
  };
  const shown = text.split('\n').map((line) => {
    if (below !== undefined && line.trim() !== '') {
      if (isBelow(line, below)) return lineBelow(line);
      below = undefined;
    }
    const { key, indent, opens, isSecret } = lineOf(line);
    if (opens) below = indent;
    return isSecret ? `${key}${HIDDEN}` : line;
  });
  return shown.join('\n');
}

/** `["a", "b"]` behind a key that holds secrets, in one line. */
const LIST = /(?<![\w.-])(["']?)([A-Za-z_][\w.-]{0,120})(\1\s{0,8}[:=]\s{0,8}\[)([^\][]{1,5000})(?=\])/g;
const listed = (whole: string, quote: string, name: string, between: string): string =>
  isSecretName(name) ? `${quote}${name}${between}${HIDDEN}` : whole;

type Replacement = string | ((whole: string, ...groups: string[]) => string);
/** Forms in this order; `needs`: one of these parts is in each text of the form. */
const FORMS: readonly Readonly<{ needs: readonly string[]; form: RegExp; as: Replacement }>[] = [
  { needs: ['PRIVATE KEY'], form: PRIVATE_KEY, as: HIDDEN },
  { needs: ['LS0tLS1CRUdJTi'], form: PACKED_KEY, as: HIDDEN },
  ...TOKENS.map((form) => ({ needs: [''], form, as: HIDDEN })),
  { needs: [' ', '\t'], form: SCHEME, as: HIDDEN },
  { needs: ['://'], form: USER_OF_URL, as: `$1${HIDDEN}@` },
  { needs: ['://'], form: LOOSE_USER, as: `$1${HIDDEN}@` },
  { needs: ['@'], form: DSN, as: `${HIDDEN}@` },
  { needs: ['login'], form: LOGIN, as: HIDDEN },
  { needs: ['-u', '--user'], form: BASIC_FLAG, as: HIDDEN },
  {
    ...{ needs: ['</'], form: XML },
    as: (whole, name = '', value = '') => (isSecretText(name, value) ? `<${name}>${HIDDEN}` : whole),
  },
  { needs: ['-'], form: FLAG, as: flagged },
  { needs: ['['], form: LIST, as: listed },
];

const HINT = /[:=@<$~]|--|eyJ|bearer|basic|[_-]\w{10}|AKIA|ASIA|AIza|LS0t|login|\s-u/i;

/**
 * Hides the secrets of a text, known by their form or by the name before them: users of addresses, DSNs,
 * flags, assignments in files and command lines, tokens, private keys.
 */
export function textWithoutSecrets(text: string): string {
  if (!HINT.test(text)) return text;
  let shown = text;
  for (const { needs, form, as } of FORMS)
    if (needs.some((part) => shown.includes(part))) shown = shown.replaceAll(form, as as never);
  if (shown.includes('\n')) shown = linesWithoutSecrets(shown);
  return assignmentsWithoutSecrets(shown);
}
