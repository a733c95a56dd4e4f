/** Splits a name such as `apiKey`, `API_KEY` or `api-key.json` into its words, in small letters. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => (NEUTRAL.has(word) ? word : word.replace(/(?<=[a-z])\d+$/, '')))
    .filter(Boolean);

/** Names that are judged once: an object has few, many times. */
const MOST_KEPT = 2_000;

function kept(judge: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const judged = judge(name);
    if (known.size >= MOST_KEPT) known.clear();
    known.set(name, judged);
    return judged;
  };
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words about the form of a value, not about its content. */
const NEUTRAL = setOf(
  'data value values base64 b64 b plain text string json yaml yml txt ini conf cfg properties env xml toml pem',
);
/** Words that name a secret, also at the end of a longer word, as in `dbpassword`. */
const SECRET_ENDING =
  /(?:passwords?|passwd|passphrases?|passcodes?|pwd|tokens?|credentials?|api_?keys?|accesskeys?|secretkeys?|privatekeys?|clientsecrets?|appsecrets?|connectionstrings?|connstr|dockerconfigjson)$/;
const SECRET_WORD = setOf('pass authorization dsn jwt bearer kubeconfig dockerconfig cookie creds cred rsa ed25519');
/** A `key`, and a `secret`, after one of these is one; others are names, such as `secretKeyRef.key`. */
const KEY_OF = setOf(
  'api access secret private signing sign encryption encrypt decryption master account shared storage service client ssh tls ssl hmac aes ec root session symmetric auth license app application admin subscription deploy server peer cookie webhook fernet cipher host ingest',
);
const SECRET_OF = setOf(
  'client app application consumer shared key oauth oauth2 oidc hmac jwt cookie session signing api webhook hash encryption bot totp otp master',
);
/** Words that follow `secret` or `token` in names of values that are no secret themselves. */
const ABOUT = setOf(
  'name names ref refs reference file files filename path paths dir directory mount namespace namespaces selector policy policies review reviews ttl expiry expiration expires lifetime duration age timeout interval period seconds minutes hours days length size count limit limits max min enabled disabled enable required type kind version algorithm format provider class store rotation endpoint issuer audience audiences url uri host port template schema prefix suffix header headers field claim label labels annotation annotations mode location region storage backend engine server service operator controller manager exchange request requests',
);
const ANYWHERE = setOf('secret secrets key keys');

const isOne = (word: string): boolean => SECRET_ENDING.test(word) || SECRET_WORD.has(word);

function meaningful(name: string): string[] {
  const words = wordsOf(name);
  while (words.length > 1 && NEUTRAL.has(words.at(-1) ?? '')) words.pop();
  return words;
}

function endsInSecret(words: readonly string[]): boolean {
  const [before = '', last = ''] = words.length > 1 ? words.slice(-2) : ['', ...words];
  if (last === 'key' || last === 'keys') return KEY_OF.has(before);
  if (last === 'secret' || last === 'secrets') return SECRET_OF.has(before);
  if (before === 'id' && (last === 'rsa' || last === 'ed25519')) return true;
  if (last === 'rsa' || last === 'ed25519') return false;
  return isOne(last) || (last === 'pat' && before !== '') || (last === 'str' && before.startsWith('conn'));
}

/** True if a field of this name holds a secret itself; `secretName` and `passwordPolicy` do not. */
export const isSecretName = kept((name) => endsInSecret(meaningful(name)) || /connection.?strings?$/i.test(name));

/** Environment variables with the folder of the shell. */
const WORKING_FOLDER = /^(?:OLD)?PWD$/;

/**
 * True if a variable or a flag of this name holds a secret. Names are less strict there, so such a word
 * anywhere counts, unless the name is about it, as in `TOKEN_FILE` and `--secret-name`.
 */
export const isSecretVariable = kept((name) => {
  if (WORKING_FOLDER.test(name)) return false;
  const words = meaningful(name);
  if (isSecretName(name)) return true;
  if (ABOUT.has(words.at(-1) ?? '')) return false;
  return words.some((word, at) => isOne(word) || (ANYWHERE.has(word) && words[at - 1] !== 'public'));
});

/** Fields such as `pullSecret`: mostly these hold the name of a Secret. */
const MAY_NAME_ONE = /secrets?$/i;
/** The form of objects' names: small letters, and no word with a digit, since that may be a password. */
const OBJECT_NAME = /^(?:[a-z]+|[a-z0-9]+(?:[.-][a-z0-9]+)+)$/;

/** Names of files and their paths. Fields for keys hold these at times. */
const FILE_NAME = /^(?:\/[\w.-]+)+$|^[\w.-]+\.(?:key|crt|pem|json|ya?ml|txt)$/;
const IS_KEY = /keys?$/i;

/** True if {@link isSecretText} finds a secret in any text. */
export const mayHoldSecret = (name: string): boolean => isSecretText(name, 'A.text that-is-no.name1');

/** True if this text is a secret in a field of this name. */
export function isSecretText(name: string, text: string): boolean {
  if (text === '' || (/tokens$/i.test(name) && /^\d+$/.test(text))) return false;
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return isSecretVariable(name);
  if (isSecretName(name)) return !(IS_KEY.test(name) && FILE_NAME.test(text));
  // `auth` of a Docker login is user and password in base64, and elsewhere a word.
  if (/^auth$/i.test(name)) return text.length >= 8 && !/^[a-z-]+$/.test(text);
  return MAY_NAME_ONE.test(name) && !OBJECT_NAME.test(text);
}

/** True if a field of this name, next to a secret, holds facts about the secret and not the secret itself. */
export const isAboutSecret = (key: string): boolean => {
  const words = wordsOf(key);
  return ABOUT.has(words.at(-1) ?? '') || ['key', 'apiVersion', 'optional', 'description'].includes(key);
};
