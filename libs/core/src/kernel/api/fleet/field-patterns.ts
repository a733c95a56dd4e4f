/**
 * Patterns of fields, in the syntax that Go and JavaScript share. The CRDs have the same text, so an API
 * server and the hub refuse the same values.
 */
const SUBDOMAIN_TEXT = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const LABEL_NAME_TEXT = '([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]';

/** The name of an object: a DNS subdomain. */
export const SUBDOMAIN = new RegExp(`^${SUBDOMAIN_TEXT}$`);
/** The name of a namespace: a DNS label. */
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** The value of a label; may be empty. */
export const LABEL_VALUE = new RegExp(`^(${LABEL_NAME_TEXT})?$`);
/** The key of a label, with or without a prefix. */
export const LABEL_KEY = new RegExp(`^(${SUBDOMAIN_TEXT}/)?${LABEL_NAME_TEXT}$`);
/** One word of printable ASCII: a package, a channel. */
export const WORD = /^[!-~]+$/;
/** A line of text that says something. */
export const LINE = /^.*\S.*$/;
/** An API version: `v1`, `apps/v1`. */
export const API_VERSION = new RegExp(`^(${SUBDOMAIN_TEXT}/)?v[0-9]+((alpha|beta)[0-9]+)?$`);
/** The kind of an object. */
export const KIND = /^[A-Z][A-Za-z0-9]*$/;
/** The name of any object in a URL. */
export const PATH_SEGMENT = /^[^/%\s]+$/;

/** A duration as Go writes it. */
export const DURATION = /^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$/;

const DOMAIN_PART = '([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const PATH_PART = '[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*';
const DIGESTS = '(sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})';
/** A reference of an image, with or without a registry, a tag and a digest. */
export const IMAGE = new RegExp(
  `^(${DOMAIN_PART}(\\.${DOMAIN_PART})*(:[0-9]+)?/)?${PATH_PART}(/${PATH_PART})*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@${DIGESTS})?$`,
);

/** Returns the pattern of one field of a cron: values, ranges and lists of them with steps. */
const cronField = (value: string): string => {
  const part = `(\\*|\\?|(${value})(-(${value}))?)(/[0-9]+)?`;
  return `${part}(,${part})*`;
};
const DAYS = '[Ss][Uu][Nn]|[Mm][Oo][Nn]|[Tt][Uu][Ee]|[Ww][Ee][Dd]|[Tt][Hh][Uu]|[Ff][Rr][Ii]|[Ss][Aa][Tt]';
const MONTHS =
  '[Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][Rr]|[Aa][Pp][Rr]|[Mm][Aa][Yy]|[Jj][Uu][Nn]|[Jj][Uu][Ll]|[Aa][Uu][Gg]|[Ss][Ee][Pp]|[Oo][Cc][Tt]|[Nn][Oo][Vv]|[Dd][Ee][Cc]';
const SHORT_MONTH = '(0?[2469]|11|[Ff][Ee][Bb]|[Aa][Pp][Rr]|[Jj][Uu][Nn]|[Ss][Ee][Pp]|[Nn][Oo][Vv])';
/** A cron that can never match: none of its months has one of its days. */
export const NO_SUCH_DAY = new RegExp(
  `^\\s*\\S+\\s+\\S+\\s+((30|31)(,(30|31))*\\s+(0?2|[Ff][Ee][Bb])|31\\s+${SHORT_MONTH}(,${SHORT_MONTH})*)\\s+[*?]\\s*$`,
);
/** A cron of five fields. */
export const CRON = new RegExp(
  `^\\s*${[
    cronField('[0-5]?[0-9]'),
    cronField('[01]?[0-9]|2[0-3]'),
    `(${cronField('0?[1-9]|[12][0-9]|3[01]')}|[Ll])`,
    cronField(`0?[1-9]|1[0-2]|${MONTHS}`),
    `${cronField(`0?[0-7]|${DAYS}`)}([#Ll][0-9]?)?`,
  ].join('\\s+')}\\s*$`,
);

const BUILD = '(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?';
/** A range of OLM Classic: comparators of whole versions, or of versions that end with `x`. */
export const CLASSIC_RANGE = ((): RegExp => {
  const term = `(==?|!=?|[<>]=?)?\\s*([0-9]+\\.[0-9]+\\.[0-9]+${BUILD}|[0-9]+\\.([0-9]+\\.)?[xX*](\\.[xX*])?)`;
  return new RegExp(`^\\s*${term}(\\s*(\\s|\\|\\|)\\s*${term})*\\s*$`);
})();
/** A range of OLM v1. */
export const V1_RANGE = ((): RegExp => {
  const version = `v?([0-9]+|[xX*])(\\.([0-9]+|[xX*])){0,2}${BUILD}`;
  const term = `(=|!=|[<>]=?|=[<>]|~>?|\\^)?\\s*${version}(\\s+-\\s+${version})?`;
  return new RegExp(`^\\s*${term}(\\s*(,|\\s|\\|\\|)\\s*${term})*\\s*$`);
})();

/** A text of CEL, as an alternative of a pattern. */
export const TEXT_OR = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'`;
const STRING = `[rRbB]{0,2}(${TEXT_OR})`;
const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const NUMBER = '([0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?|\\.[0-9]+|0x[0-9a-fA-F]+)[uU]?';
const BLANK = '[ \\t\\r\\n]*';
/**
 * An expression in CEL as far as a pattern can check: values and operators in turn. An API server cannot
 * compile one; the hub does.
 */
export const EXPRESSION = ((): RegExp => {
  const before = `((!|-|\\(|\\[|\\{)${BLANK})*`;
  const operand = `${before}(${STRING}|${NUMBER}|\\.?${IDENTIFIER}|\\[${BLANK}\\]|\\{${BLANK}\\})${BLANK}`;
  const infix = '(\\|\\||&&|==|!=|<=|>=|<|>|\\+|-|\\*|/|%|\\?|:|,|in|\\(|\\[|\\{)';
  const tail = `([)\\]}]|\\.${BLANK}\\??${IDENTIFIER}|\\(${BLANK}\\)|,${BLANK}[\\]}]|${infix}${BLANK}${operand})${BLANK}`;
  return new RegExp(`^${BLANK}${operand}(${tail})*$`);
})();
