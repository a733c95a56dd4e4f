// Marks that odd YAML has around its scalars: tags, line ends, headers, comments, and damage.

export const SAFE_TAGS: readonly string[] = [
  '!!str ',
  '!a ',
  '! ',
  '!<tag:yaml.org,2002:str> ',
  '!!python/x ',
  '!!seq ',
];
export const TAGS: readonly string[] = [
  ...SAFE_TAGS,
  ...[
    '!!int ',
    '!!float ',
    '!!bool ',
    '!!null ',
    '!!map ',
    '!!merge ',
    '!!binary ',
    '!!timestamp ',
    '!!set ',
    '!!omap ',
  ],
  ...[
    '!<tag:yaml.org,2002:int> ',
    '!<!> ',
    '!<a> ',
    '!! ',
    '!a!b ',
    '!!st%72 ',
    '!e!x ',
    '!a,b ',
    '!!str,',
    '!a] ',
    '!a\n ',
  ],
  ...[
    '!<tag:yaml.org,2002:merge> ',
    '!<tag:yaml.org,2002:float> ',
    '!!str\t',
    '!!str',
    '!%zz ',
    '!%c3%a9 ',
    '!<a ',
    '!<> ',
  ],
];

export const SAFE_LINE_ENDS: readonly string[] = [
  ...['\n', '\n', '\n', '\n', '\n\n', ' # c\n', '\n# c\n', ' \n', '\r\n', '\n   # c\n'],
];
export const LINE_ENDS: readonly string[] = [
  ...SAFE_LINE_ENDS,
  ...['\r', '\u0085', '\u2028', '\u2029', '\n#c\n', '\n   \n', '\n\t\n', '#c\n', '\t\n', '\t# c\n', ' #\n'],
];

export const SAFE_HEADERS: readonly string[] = ['', '', '-', '+', '# c', ' # c', '-#c', '2', '1-'];
export const HEADERS: readonly string[] = [
  ...SAFE_HEADERS,
  ...['2-', '-2', '+1', '3+', '0', '10', '-+', ' #', ' x', '\t', '\t# c', '9', '--'],
];

/** Lines of block scalars. */
export const BLOCK_LINES: readonly string[] = [
  ...[
    'a',
    'b c',
    '',
    '',
    '- d',
    'e: f',
    '# g',
    '\t',
    ' ',
    '\th',
    '---',
    '...',
    'i ',
    'é',
    '🐙',
    '\u2028j',
    'k\u0085',
    '"l',
  ],
];

/** Between the parts of a flow collection. */
export const FLOW_SPACES: readonly string[] = [
  '',
  '',
  '',
  ' ',
  ' ',
  '\n',
  '\n  ',
  '\n    ',
  ' # c\n',
  ' #c\n ',
  '\t',
  '\n\t',
  '#c\n',
];

export const MERGED: readonly string[] = [
  ...['*a', '{a: 1, x: 2}', '[*a, *b]', '[*a, {x: 2}]', '[]', '{}', '!!map {x: 3}', '&z {q: 1}'],
];

/** Before the document, and behind it. */
export const BEFORE: readonly string[] = [
  ...[
    '---\n',
    '--- \n',
    '--- # c\n',
    '...\n',
    '---\n---\n',
    '---x\n',
    '%YAML 1.1\n---\n',
    '%YAML 1.2\n---\n',
    '%FOO bar\n',
  ],
  ...[
    '%TAG !e! tag:yaml.org,2002:\n---\n',
    '%TAG ! tag:x,\n--- # c\n',
    '%YAML 1.1 # c\n',
    '%\n',
    '%YAML 1.1\n%YAML 1.1\n---\n',
  ],
];
export const BEHIND: readonly string[] = [
  ...['---\n', '...\n', '...\nb: 1\n', '---\nb: 1\n', '... # c\n', '--- b\n', '%a\n', '...x\n', '---\n---\n'],
];

/** Characters that damage a text. */
export const DAMAGE: readonly string[] = [
  ...[
    ' ',
    '  ',
    '\n',
    '\t',
    ':',
    ': ',
    '-',
    '- ',
    '#',
    ' #',
    ',',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&',
    '*',
    '!',
    '|',
    '>',
  ],
  ...[
    '?',
    '? ',
    '%',
    '@',
    '\\',
    '\r',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u007f',
    '\0',
    'é',
    '\u00a0',
    '---',
    '\n---\n',
    '<<',
    '',
  ],
];
